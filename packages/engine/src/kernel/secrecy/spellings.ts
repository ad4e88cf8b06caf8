/** The forms in which a value may occur in a text: plain, in JSON, in a URL or a form, and in base64. */

/** JSON may be nested in JSON texts. Example: an event holds the body of an answer that holds a document. */
const JSON_LEVELS = 3;

export function spellingsOf(value: string): ReadonlySet<string> {
  const contents = new Set([value, ...inJson(value)]);
  const found = new Set<string>();
  for (const content of contents) {
    for (const spelled of [content, ...inAddress(content), ...inBase64(content)]) found.add(spelled);
  }
  for (let level = 0; level < JSON_LEVELS; level += 1) {
    for (const spelled of [...found]) for (const escaped of inJson(spelled)) found.add(escaped);
  }
  return found;
}

/** Some programs escape slashes, or all characters that are not ASCII. */
function inJson(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [plain, ascii, plain.replaceAll('/', '\\/')];
}

/** Half of a surrogate pair cannot be encoded in a URL, so it is replaced. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function inAddress(given: string): readonly string[] {
  const text = wellFormed(given);
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, hex);
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  const upper = [component, strict, form, encodeURI(text)];
  return [...upper, ...upper.map((encoded) => encoded.replace(/%../g, (code) => code.toLowerCase()))];
}

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * The bytes before a value shift its base64 letters in three ways. Letters that mix with other bytes are left
 * out.
 */
const MIXED_WITH_BEFORE = [0, 2, 3];

function inBase64(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  return MIXED_WITH_BEFORE.flatMap((mixed, lead) => {
    const shifted = new Uint8Array(lead + bytes.length);
    shifted.set(bytes, lead);
    const padded = base64(shifted).slice(mixed);
    const atEnd = padded.replace(/=+$/, '');
    const inside = shifted.length % 3 === 0 ? atEnd : atEnd.slice(0, -1);
    return [padded, atEnd, inside].flatMap((found) => [
      found,
      found.replaceAll('+', '-').replaceAll('/', '_'),
    ]);
  });
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
