/** The subset of npm's version ranges that packages use in `engines.node`. Anything else is an error, not a guess. */

type Version = readonly [major: number, minor: number, patch: number];

/** Whether a Node version such as `20.19.0` is inside a range such as `^20.19.0 || >=22.12.0`. */
export function nodeIsInRange(version: string, range: string): boolean {
  const given = numbersOf(version);
  return range.split('||').some((part) => comparatorsOf(part).every((holds) => holds(given)));
}

/** The lowest version that a range of the form `>=20.19` admits. */
export function lowestOf(range: string): string {
  const match = /^>=(\d+(?:\.\d+){0,2})$/.exec(range.trim());
  if (match?.[1] === undefined) throw new Error(`"${range}" does not name one lowest version.`);
  return numbersOf(match[1]).join('.');
}

function comparatorsOf(part: string): readonly ((given: Version) => boolean)[] {
  const words = part
    .replaceAll(/([<>=^~])\s+/g, '$1')
    .trim()
    .split(/\s+/);
  return words.filter((word) => word !== '').map(comparatorOf);
}

function comparatorOf(word: string): (given: Version) => boolean {
  if (word === '*') return () => true;
  const match = /^(>=|<=|>|<|=|\^|~)?v?(\d+(?:\.(?:\d+|x))*)$/.exec(word.replaceAll('.*', '.x'));
  if (match?.[2] === undefined)
    throw new Error(`The range "${word}" is of a kind that this check does not know.`);
  const [operator = '', bound] = [match[1], numbersOf(match[2])];
  const named = match[2].split('.').filter((digits) => digits !== 'x').length;
  switch (operator) {
    case '>=':
      return (given) => compare(given, bound) >= 0;
    case '>':
      return (given) => compare(given, bound) > 0;
    case '<=':
      return (given) => compare(given, bound) <= 0;
    case '<':
      return (given) => compare(given, bound) < 0;
    case '^':
      return (given) => given[0] === bound[0] && compare(given, bound) >= 0;
    case '~':
      return (given) => given[0] === bound[0] && given[1] === bound[1] && given[2] >= bound[2];
    default:
      return (given) => bound.slice(0, named).every((number, at) => given[at] === number);
  }
}

function numbersOf(version: string): Version {
  const [major = 0, minor = 0, patch = 0] = version
    .split('.')
    .map((digits) => (digits === 'x' ? 0 : Number(digits)));
  return [major, minor, patch];
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
