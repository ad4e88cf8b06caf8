import { readFileSync } from 'node:fs';

/** The name of a file, and the variable or flag that it came from. */
export interface GivenFile {
  readonly text: string;
  readonly as: string;
}

/** The text of the file. If it cannot be read, this is added to the problems. */
export function textOfFile({ text: name, as }: GivenFile, problems: string[]): string | undefined {
  try {
    return readFileSync(name, 'utf8');
  } catch {
    problems.push(`${as} is "${name}", which cannot be read; write the name of a JSON file`);
    return undefined;
  }
}
