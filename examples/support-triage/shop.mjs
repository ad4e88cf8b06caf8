import { createInterface } from 'node:readline';

/**
 * A shop with two orders and no books, as an MCP server: it reads one JSON-RPC message from each line of its input, and answers
 * on its output. The host starts it, as `tools.json` says, and it ends when the host closes its input.
 */

const ORDERS = new Map([
  ['A-1041', { item: 'Kettle, steel', paid: 64.5, delivered: daysAgo(8) }],
  ['A-1042', { item: 'Desk lamp', paid: 38, delivered: daysAgo(46) }],
]);

function daysAgo(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

const ORDER = { type: 'string', description: 'The number of the order, such as A-1041.' };

const TOOLS = {
  find_order: {
    description: 'Finds an order: what was bought, what was paid, when it was delivered.',
    inputSchema: { type: 'object', required: ['order'], properties: { order: ORDER } },
    annotations: { readOnlyHint: true },
    call: ({ order }) => ORDERS.get(order) ?? refuse(`There is no order ${order}.`),
  },
  refund: {
    description: 'Pays money back to the customer. It cannot be undone.',
    inputSchema: {
      type: 'object',
      required: ['order', 'amount'],
      properties: { order: ORDER, amount: { type: 'number', exclusiveMinimum: 0 } },
    },
    call({ order, amount }) {
      const found = ORDERS.get(order) ?? refuse(`There is no order ${order}.`);
      if (amount > found.paid) refuse(`At most ${found.paid} can be refunded.`);
      return { order, refunded: amount };
    },
  },
};

class Refusal extends Error {}

function refuse(reason) {
  throw new Refusal(reason);
}

function call({ name, arguments: given = {} }) {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(TOOLS[name].call(given)) }] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'shop', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(TOOLS).map(([name, { call: _, ...described }]) => ({ name, ...described })),
  }),
  'tools/call': call,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const known = Object.hasOwn(METHODS, method);
  const answer = known
    ? { result: METHODS[method](params ?? {}) }
    : { error: { code: -32601, message: `There is no method ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
