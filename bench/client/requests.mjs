/** Requests as text, with the key that every host of the benchmark is started with. */

export const API_KEY = 'bench-operator-key';

const HEADERS = headersOf(API_KEY);

function headersOf(key) {
  return `Host: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`;
}

export function get(path) {
  return `GET ${path} HTTP/1.1\r\n${HEADERS}\r\n`;
}

/** `key` is given if another tenant than the operator sends the request. */
export function post(path, body, key = API_KEY) {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `POST ${path} HTTP/1.1\r\n${headersOf(key)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`;
}

export function createRun(workflowId, inputs) {
  return post('/v1/runs', inputs === undefined ? { workflowId } : { workflowId, inputs });
}

export function readEvents(runId) {
  return `GET /v1/runs/${runId}/events HTTP/1.1\r\n${HEADERS}Accept: text/event-stream\r\n\r\n`;
}

/** Also the tokens of models, as they arrive. */
export function readMessages(runId) {
  return `GET /v1/runs/${runId}/events?streamMode=messages HTTP/1.1\r\n${HEADERS}Accept: text/event-stream\r\n\r\n`;
}

export function readLog(runId) {
  return `GET /v1/runs/${runId}/events HTTP/1.1\r\n${HEADERS}Accept: application/json\r\n\r\n`;
}
