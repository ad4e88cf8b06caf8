import { createServer } from 'node:http';

/**
 * A model that takes its time, in this process: it knows which host asks by the address, when each question came, and
 * which questions wait for their answer.
 */

const LEAST_MS = 9000;
const MOST_MS = 16_000;

export async function startSlowModel({ leastMs = LEAST_MS, mostMs = MOST_MS } = {}) {
  const calls = [];
  const waiting = new Set();
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      const [, host] = request.url.split('/');
      const call = { host, question: questionIn(Buffer.concat(pieces).toString()), at: performance.now() };
      calls.push(call);
      waiting.add(call);
      response.once('close', () => waiting.delete(call));
      setTimeout(() => answer(call, response), leastMs + Math.random() * (mostMs - leastMs));
    });
  });
  function answer(call, response) {
    waiting.delete(call);
    if (response.destroyed) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${part({ role: 'assistant', content: 'done' }, null)}${part({}, 'stop')}data: [DONE]\n\n`);
  }
  // A connection that is closed while a host uses it again would look like a failed call.
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: (host) => `http://127.0.0.1:${server.address().port}/${host}/v1`,
    /** All calls so far, in the order in which they came. */
    calls,
    waitingFor: (host) => [...waiting].filter((call) => call.host === host),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function part(delta, finish) {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'slow', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** The text of the last message. */
function questionIn(body) {
  const { content } = JSON.parse(body).messages.at(-1);
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}
