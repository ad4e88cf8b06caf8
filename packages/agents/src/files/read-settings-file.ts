import { type At, Mistake } from '../tools/file-values.ts';
import { BrokenJson, type JsonPlaces, placesOf } from './json-places.ts';

export interface SettingsFile {
  readonly name: string;
  readonly text: string;
}

/** Reads a JSON file of settings. A problem names the file, the line and what to write instead. */
export function readSettingsFile<T>(
  file: SettingsFile,
  read: (at: At) => T,
): { readonly config: T } | { readonly problem: string } {
  const problem = (line: number, text: string) => ({ problem: `${file.name}, line ${line}: ${text}` });
  let lineOf: JsonPlaces['lineOf'] = () => 1;
  try {
    const places = placesOf(file.text);
    lineOf = places.lineOf;
    const [twice] = places.doubled;
    if (twice !== undefined) throw new Mistake(twice, 'is written twice; remove one of them');
    return { config: read({ path: [], value: JSON.parse(file.text) }) };
  } catch (error) {
    if (error instanceof BrokenJson) {
      return problem(error.line, 'this is not JSON; look here and before for a comma, a quote or a bracket');
    }
    if (!(error instanceof Mistake)) throw error;
    const name = error.path.length === 0 ? 'the file' : error.path.map(shown).join('.');
    return problem(lineOf(error.path), `${name} ${error.message}`);
  }
}

/** A long name may be a key in the wrong place, so it is not repeated. */
function shown(name: string | number): string {
  return String(name).length <= 64 ? String(name) : `${String(name).slice(0, 8)}…`;
}
