import { connect, type Fetch } from '@baton/client';

/** Tells the host that a request comes from the console and from no other page. The host refuses commands without it. */
const FROM_CONSOLE = { 'x-baton-console': '1' } as const;

export const consoleFetch: Fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...init?.headers, ...FROM_CONSOLE } });

/** The host that has served this page, as the person who is signed in may use it. The browser adds the cookie. */
export const baton = connect({ url: window.location.origin, fetch: consoleFetch });
