/** A value whose canonical form is easily written wrongly, as the host sends it. */
interface HardCase {
  readonly name: string;
  /** As the value arrives: JSON text. Halves of characters are written as escapes. */
  readonly json: string;
  /** The canonical form by RFC 8785, of whose UTF-8 bytes the checksum is made. */
  readonly canonical: string;
}

const LONG = 'Zoë 😀 '.repeat(20_000);

/** The values with which the checksum of the browser is compared with that of the host. */
export const HARD_CASES: readonly HardCase[] = [
  { name: 'negative zero', json: '{"n":-0}', canonical: '{"n":0}' },
  { name: 'negative zero with a fraction', json: '[-0.0,0.0]', canonical: '[0,0]' },
  {
    name: 'the first number with an exponent',
    json: '[1e20,1e21]',
    canonical: '[100000000000000000000,1e+21]',
  },
  { name: 'the smallest number', json: '[5e-324,4.9e-324]', canonical: '[5e-324,5e-324]' },
  { name: 'the largest number', json: '1.7976931348623157e308', canonical: '1.7976931348623157e+308' },
  { name: 'small fractions', json: '[0.000001,0.0000001]', canonical: '[0.000001,1e-7]' },
  {
    name: 'integers above 2^53',
    json: '[9007199254740991,9007199254740993,123456789012345678901]',
    canonical: '[9007199254740991,9007199254740992,123456789012345680000]',
  },
  { name: 'a fraction that is an integer', json: '[1.0,1e2,10.50]', canonical: '[1,100,10.5]' },
  { name: 'seventeen digits', json: '[0.1,333333333.33333329]', canonical: '[0.1,333333333.3333333]' },
  { name: 'the first half of a character', json: '{"t":"cut \\ud83d"}', canonical: '{"t":"cut \ufffd"}' },
  { name: 'the second half of a character', json: '["\\ude00 cut"]', canonical: '["\ufffd cut"]' },
  { name: 'halves in the wrong order', json: '["\\ude00\\ud83d"]', canonical: '["\ufffd\ufffd"]' },
  { name: 'half of a character in a name', json: '{"a\\ud83d":1}', canonical: '{"a\ufffd":1}' },
  { name: 'a whole character as two escapes', json: '["\\ud83d\\ude00"]', canonical: '["😀"]' },
  {
    name: 'names by UTF-16 units',
    json: '{"\ufb33":1,"😀":2,"\ue000":3,"€":4,"z":5,"":6}',
    canonical: '{"":6,"z":5,"€":4,"😀":2,"\ue000":3,"\ufb33":1}',
  },
  { name: 'names that look like numbers', json: '{"10":1,"9":2,"1":3}', canonical: '{"1":3,"10":1,"9":2}' },
  { name: 'upper and lower case', json: '{"b":1,"B":2,"a":3,"A":4}', canonical: '{"A":4,"B":2,"a":3,"b":1}' },
  {
    name: 'names that differ in their normal form',
    json: '{"e\u0301":1,"\u00e9":2}',
    canonical: '{"e\u0301":1,"\u00e9":2}',
  },
  {
    name: 'control characters',
    json: '"\\u0000\\u0008\\t\\n\\u000b\\f\\r\\u001f\\u007f\\"\\\\\\/"',
    canonical: '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u007f\\"\\\\/"',
  },
  { name: 'line separators', json: '["\\u2028\\u2029\\ufeff"]', canonical: '["\u2028\u2029\ufeff"]' },
  { name: 'markup', json: '["<script>&amp;</script>"]', canonical: '["<script>&amp;</script>"]' },
  {
    name: 'nested values',
    json: '{"z":{"y":[{"b":null,"a":[]},{}],"x":true},"a":[[[false]]]}',
    canonical: '{"a":[[[false]]],"z":{"x":true,"y":[{"a":[],"b":null},{}]}}',
  },
  { name: 'nothing', json: '{}', canonical: '{}' },
  { name: 'a long text', json: JSON.stringify({ t: LONG }), canonical: `{"t":${JSON.stringify(LONG)}}` },
  {
    name: 'a deep value',
    json: '['.repeat(200) + ']'.repeat(200),
    canonical: '['.repeat(200) + ']'.repeat(200),
  },
];
