import { createServer } from 'node:http';
import { ENDLESS } from './names.mjs';

/**
 * A local model: speaks the streaming format of OpenAI's Chat Completions API. The model `endless` sends a
 * token every 50 ms until `POST /finish`; every other model answers at once. `GET /open` says how many answers
 * are being sent, and how many tokens were sent for `endless` so far.
 *
 *   node model-server.mjs
 */

const TOKEN_EVERY_MS = 50;
const WORDS = ['The ', 'tide ', 'follows ', 'the ', 'moon, ', 'and ', 'the ', 'sun ', 'helps. '];

/** Functions that end the answers which are being sent. */
const open = new Set();
let tokens = 0;

function chunk(model, more) {
  const all = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, ...more };
  return `data: ${JSON.stringify(all)}\n\n`;
}

function delta(model, given, finish = null) {
  return chunk(model, { choices: [{ index: 0, delta: given, finish_reason: finish }] });
}

function ending(model) {
  const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
  return `${delta(model, {}, 'stop')}${chunk(model, { choices: [], usage })}data: [DONE]\n\n`;
}

function answer(response, model) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const begin = delta(model, { role: 'assistant', content: '' });
  if (model === ENDLESS) {
    response.write(begin);
    keepSending(response, model);
  } else {
    response.end(begin + WORDS.map((content) => delta(model, { content })).join('') + ending(model));
  }
}

/** Each answer has a timer of its own, so the tokens of all answers are spread over time. */
function keepSending(response, model) {
  let sent = 0;
  const timer = setInterval(() => {
    response.write(delta(model, { content: WORDS[sent % WORDS.length] }));
    sent += 1;
    tokens += 1;
  }, TOKEN_EVERY_MS);
  const finish = () => response.end(ending(model));
  open.add(finish);
  response.once('close', () => {
    clearInterval(timer);
    open.delete(finish);
  });
}

function finishAll() {
  for (const finish of open) finish();
  open.clear();
}

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  if (request.url === '/open') {
    response.end(JSON.stringify({ open: open.size, tokens }));
  } else if (request.url === '/finish') {
    finishAll();
    response.end('{}');
  } else {
    answer(response, JSON.parse(Buffer.concat(pieces).toString()).model);
  }
});

// Longer than the pauses of the benchmark, because a client may use a connection again while it is being closed.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
