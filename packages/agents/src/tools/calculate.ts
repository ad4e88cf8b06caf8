/**
 * Arithmetic as text: numbers, `+ - * / % ^`, parentheses, and a few functions. There are no names of variables and
 * nothing is executed, so a text from a model can do no more than compute a number.
 */

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  max: Math.max,
  min: Math.min,
  round: Math.round,
  sqrt: Math.sqrt,
};

const MAX_LENGTH = 1_000;
const MAX_DEPTH = 50;
const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-z]+)|([-+*/%^(),]))/iy;

interface Reader {
  readonly tokens: readonly string[];
  at: number;
  depth: number;
}

/** Throws a `RangeError` that says what is wrong with the text. */
export function calculate(text: string): number {
  if (text.length > MAX_LENGTH) throw new RangeError(`the expression has more than ${MAX_LENGTH} characters`);
  const reader: Reader = { tokens: tokensOf(text), at: 0, depth: 0 };
  const value = sum(reader);
  if (reader.at < reader.tokens.length) throw unexpected(reader);
  if (!Number.isFinite(value)) throw new RangeError('the result is not a number');
  return value;
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const pattern = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) throw new RangeError(`"${text.slice(from).trim()[0]}" is not part of arithmetic`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

function sum(reader: Reader): number {
  let value = product(reader);
  for (let sign = take(reader, '+', '-'); sign !== undefined; sign = take(reader, '+', '-')) {
    const next = product(reader);
    value = sign === '+' ? value + next : value - next;
  }
  return value;
}

function product(reader: Reader): number {
  let value = signed(reader);
  for (let sign = take(reader, '*', '/', '%'); sign !== undefined; sign = take(reader, '*', '/', '%')) {
    const next = signed(reader);
    if (sign === '*') value *= next;
    else if (next === 0) throw new RangeError('a division by zero has no result');
    else value = sign === '/' ? value / next : value % next;
  }
  return value;
}

/** `-2^2` is -4, as in mathematics. */
function signed(reader: Reader): number {
  return deeper(reader, () => {
    const sign = take(reader, '-', '+');
    if (sign !== undefined) return sign === '-' ? -signed(reader) : signed(reader);
    const base = atom(reader);
    return take(reader, '^') === undefined ? base : base ** signed(reader);
  });
}

function atom(reader: Reader): number {
  const token = reader.tokens[reader.at];
  if (token === undefined) throw unexpected(reader);
  if (/^[\d.]/.test(token)) {
    reader.at += 1;
    return Number(token);
  }
  if (take(reader, '(') !== undefined) {
    const value = sum(reader);
    require(reader, ')');
    return value;
  }
  const act = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
  if (act === undefined) throw unexpected(reader);
  reader.at += 1;
  require(reader, '(');
  const values = [sum(reader)];
  while (take(reader, ',') !== undefined) values.push(sum(reader));
  require(reader, ')');
  return act(...values);
}

function deeper(reader: Reader, read: () => number): number {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw new RangeError('the expression is nested too deeply');
  const value = read();
  reader.depth -= 1;
  return value;
}

function take(reader: Reader, ...wanted: readonly string[]): string | undefined {
  const token = reader.tokens[reader.at];
  if (token === undefined || !wanted.includes(token)) return undefined;
  reader.at += 1;
  return token;
}

function require(reader: Reader, wanted: string): void {
  if (take(reader, wanted) === undefined) throw unexpected(reader);
}

function unexpected({ tokens, at }: Reader): RangeError {
  const token = tokens[at];
  if (token === undefined) return new RangeError('the expression ends too early');
  return new RangeError(
    `"${token}" is not expected here; use numbers, + - * / % ^, parentheses and ${Object.keys(FUNCTIONS).join(', ')}`,
  );
}
