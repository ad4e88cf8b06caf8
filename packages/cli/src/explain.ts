/** An error message that says what to do. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `Something went wrong: ${inWords(error)}`;
  const { code, syscall, address, port, path } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  const place = `port ${port} on ${address}`;
  switch (code) {
    case 'EADDRINUSE':
      return (
        `The ${place} is already in use. Stop the program that uses it, ` +
        'or choose another one with BATON_PORT (0 picks a free port).'
      );
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${address}. Set BATON_HOST to one it has, such as 127.0.0.1.`;
    case 'ENOTFOUND':
      return 'The name in BATON_HOST is not known on this network. Set it to an address, such as 127.0.0.1.';
    case 'EACCES':
    case 'EPERM':
      return syscall === 'listen'
        ? `You may not use ${place}. Choose a port above 1023 with BATON_PORT.`
        : `You may not use ${path}. Change its owner or its mode, or set BATON_DATA to another folder.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `A part of ${path} is a file, so it cannot be a folder. Set BATON_DATA to another folder.`;
    case 'EROFS':
      return `${path} is on a file system that cannot be written. Set BATON_DATA to another folder.`;
    case 'ENOSPC':
    case 'SQLITE_FULL':
      return 'The disk is full. Make room and try again; nothing that was stored is lost.';
    default:
      return oneLine(error.message);
  }
}

function inWords(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { readonly message?: unknown };
  return typeof message === 'string' ? oneLine(message) : JSON.stringify(thrown);
}

function oneLine(message: string): string {
  const text = message.trim().replace(/\s*\n\s*/g, ' ');
  return text === ''
    ? 'Something went wrong, and the error says no more. Try again with BATON_LOG_LEVEL=debug.'
    : text;
}
