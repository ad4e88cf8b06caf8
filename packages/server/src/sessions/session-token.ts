import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whose rights a session has. They are looked up at each request, and not kept in the session. */
export type SessionHolder =
  /** `proof` is made from the operator's key, so that a session ends when the operator sets another key. */
  | { readonly kind: 'operator'; readonly proof: string }
  | { readonly kind: 'key'; readonly keyId: string; readonly tenant: string }
  | Person;

/** Somebody who has signed in with an OpenID provider. `rule` names the rule that lets the person in. */
export interface Person {
  readonly kind: 'person';
  readonly subject: string;
  readonly principal: string;
  readonly rule: string;
}

export interface SessionClaim {
  readonly id: string;
  /** In milliseconds. */
  readonly expiresAt: number;
  readonly holder: SessionHolder;
}

/** No token that this host signs is longer. */
const LONGEST = 2048;

/** A key for one purpose, so that a text that was signed for another purpose is refused. */
export function derivedKey(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(`baton ${purpose}`).digest();
}

/** A value as a text that only the owner of the key can make. */
export function signed(key: Buffer, value: unknown): string {
  const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${payload}.${macOf(key, payload).toString('base64url')}`;
}

/** The value in a signed text; `undefined` if the text was not signed with this key. */
export function opened(key: Buffer, text: string): unknown {
  if (text.length > LONGEST) return undefined;
  const [payload = '', mac = '', ...rest] = text.split('.');
  const given = Buffer.from(mac, 'base64url');
  const right = macOf(key, payload);
  // Several texts decode to the same bytes. Only the one that was signed counts, so that a session has one text.
  if (rest.length > 0 || mac !== right.toString('base64url') || !timingSafeEqual(given, right))
    return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

function macOf(key: Buffer, payload: string): Buffer {
  return createHmac('sha256', key).update(payload).digest();
}
