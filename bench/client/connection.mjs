import { once } from 'node:events';
import { connect } from 'node:net';
import { createResponseParser } from './response-parser.mjs';

/** One kept-alive connection, with one request at a time. */
export async function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');

  let pieces = [];
  let waiting;
  const parse = createResponseParser({
    body: (bytes) => (waiting.onBytes ? waiting.onBytes(bytes) : pieces.push(bytes)),
    end(status) {
      const body = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
      pieces = [];
      const { resolve } = waiting;
      waiting = undefined;
      resolve({ status, body });
    },
  });
  socket.on('data', parse);

  function lose(error) {
    waiting?.reject(error ?? new Error('the connection was closed before the answer was complete'));
    waiting = undefined;
  }
  socket.on('error', lose);
  socket.on('close', () => lose());

  return {
    /** Resolves with status and body. If `onBytes` is given, it receives the body piece by piece instead. */
    send(request, onBytes) {
      return new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection is closed'));
        waiting = { resolve, reject, onBytes };
        socket.write(request, 'latin1');
      });
    },
    close: () => socket.destroy(),
  };
}
