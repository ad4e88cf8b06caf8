import type { Answer, Sending, TestHost } from './host.ts';

/** A browser that is signed in, as far as a host sees it: its cookie, and the headers of a page of the host. */

const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'x-baton-console': '1' };

export function asPage(cookie: string, headers: Readonly<Record<string, string>> = {}): Sending {
  return { key: null, headers: { cookie, ...OWN_PAGE, ...headers } };
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Signs in with a key, and gives the cookie. */
export async function signedIn(host: TestHost, key: string): Promise<string> {
  const answer = await host.post('/v1/session', { key }, { key: null });
  if (answer.status !== 200) throw new Error(`the sign-in answered ${answer.status}: ${answer.text}`);
  return cookieOf(answer);
}
