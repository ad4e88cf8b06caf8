/**
 * Parses HTTP/1.1 responses, only as far as the benchmark needs it. The client shares the processors with the
 * host, so it must use as little processor time as possible.
 */

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/** `on.body` receives the body piece by piece, `on.end` the status after the response is complete. */
export function createResponseParser(on) {
  let rest = NOTHING;
  let expects = 'head';
  let status = 0;
  let left = 0;

  /** Each step reads from `bytes` at `at`. It returns the position after it, or -1 to wait for more bytes. */
  const steps = {
    head(bytes, at) {
      const end = bytes.indexOf(HEAD_END, at);
      if (end === -1) return -1;
      const head = bytes.latin1Slice(at, end);
      status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head)) expects = 'size';
      else startBody(Number(length ?? 0));
      return end + HEAD_END.length;
    },
    body: (bytes, at) => takeBody(bytes, at, finish),
    size(bytes, at) {
      const end = bytes.indexOf('\r\n', at);
      if (end === -1) return -1;
      left = Number.parseInt(bytes.latin1Slice(at, end), 16);
      expects = left === 0 ? 'trailer' : 'chunk';
      return end + 2;
    },
    chunk: (bytes, at) => takeBody(bytes, at, () => (expects = 'chunk-end')),
    'chunk-end'(bytes, at) {
      if (bytes.length - at < 2) return -1;
      expects = 'size';
      return at + 2;
    },
    trailer(bytes, at) {
      if (bytes.length - at < 2) return -1;
      finish();
      return at + 2;
    },
  };

  function startBody(length) {
    left = length;
    expects = 'body';
    if (length === 0) finish();
  }

  function takeBody(bytes, at, whenTaken) {
    const end = Math.min(bytes.length, at + left);
    on.body(bytes.subarray(at, end));
    left -= end - at;
    if (left === 0) whenTaken();
    return end;
  }

  function finish() {
    expects = 'head';
    on.end(status);
  }

  return (received) => {
    const bytes = rest.length === 0 ? received : Buffer.concat([rest, received]);
    let at = 0;
    while (at < bytes.length) {
      const next = steps[expects](bytes, at);
      if (next === -1) break;
      at = next;
    }
    rest = at === bytes.length ? NOTHING : bytes.subarray(at);
  };
}
