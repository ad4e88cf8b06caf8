import { parseArgs } from 'node:util';

/** How scripts answer --help and options that they do not know: before they install or build anything. */

export function isHelpAsked() {
  return process.argv.slice(2).some((option) => option === '--help' || option === '-h');
}

/** Prints the usage and ends the script, if the options ask for it. */
export function answerHelp(usage) {
  if (isHelpAsked()) tell(usage);
}

export function tell(usage) {
  console.log(usage);
  process.exit(0);
}

/** Ends the script with one line that says what is wrong. */
export function refuse(message, usage) {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}

/** The options of the command line, as `parseArgs` of Node returns them. */
export function parsedOptions(usage, config = {}) {
  answerHelp(usage);
  try {
    return parseArgs(config);
  } catch (error) {
    // Node goes on with advice for arguments that begin with a dash.
    const [what] = error.message.split(/[.\n]/);
    return refuse(`${what}.`, usage);
  }
}
