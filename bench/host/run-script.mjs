import { startChild } from './children.mjs';

/** Runs a script to its end and returns the JSON that it printed. */
export async function runScript(script, args = []) {
  const { child, ended } = startChild(script, { args: args.map(String) });
  const printed = [];
  child.stdout.on('data', (text) => printed.push(text));
  const { code, errors } = await ended;
  if (code !== 0) throw new Error(`${script} ended with code ${code}: ${errors}`);
  return JSON.parse(Buffer.concat(printed).toString());
}
