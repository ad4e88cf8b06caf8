import { placesOf } from '../../files/json-places.ts';

/** A path from the root, for example `["classes", "writing"]`. */
export type Path = readonly string[];

/** Collects what is wrong with a JSON file. Each problem names the file, the line and what to write instead. */
export interface FileProblems {
  readonly found: string[];
  /** `wrong` completes a sentence that begins with the path. */
  add(path: Path, wrong: string): void;
}

export function fileProblems(file: string, text: string): FileProblems {
  const { lineOf, doubled } = placesOf(text);
  const found: string[] = [];
  const add = (path: Path, wrong: string) => {
    const what = path.length === 0 ? 'the file' : path.map(shown).join('.');
    found.push(`${file}, line ${lineOf(path)}: ${what} ${wrong}`);
  };
  for (const path of doubled) add(path.map(String), 'is written twice; remove one of them');
  return { found, add };
}

/** A long name in a file may be a key in the wrong place, so it is not repeated. */
function shown(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 8)}…`;
}
