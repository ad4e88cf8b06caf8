/**
 * The address that signs a browser in with a code. The code is behind `#`, so that the browser does not send it, and
 * no log of a server or a proxy holds it.
 */
export function signInLink(hostUrl: string, code: string): string {
  // A host that listens on all addresses of the machine is reached by its loopback address.
  const url = hostUrl.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return `${url}/#code=${code}`;
}
