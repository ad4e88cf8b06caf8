import { code, fieldTable, page } from './markdown.mjs';

export async function endpointPage() {
  const { CONTRACTS } = await import('@baton/protocol');
  const intro =
    'Every endpoint by topic. A request needs an API key with the scope that is named, or a browser session with it; a ' +
    '*public* endpoint needs none. The errors are those of the endpoint alone; every endpoint can also answer with the general ones, such as ' +
    '`validation_error`, `unauthenticated`, `forbidden` or `rate_limited`. `GET /v1/openapi.json` has all of it, with ' +
    'the schemas.';
  const parts = [...grouped(Object.entries(CONTRACTS))].map(([tag, operations]) =>
    [
      `## ${tag}`,
      ...operations
        .filter(([, { undocumented }]) => !undocumented)
        .map(([name, contract]) => describe(name, contract)),
    ].join('\n\n'),
  );
  return page('Endpoints', intro, ...parts);
}

function grouped(operations) {
  const groups = new Map();
  for (const operation of operations) {
    const { tag } = operation[1];
    groups.set(tag, [...(groups.get(tag) ?? []), operation]);
  }
  return groups;
}

const REPEATED = {
  always: 'The same request twice is the same as once.',
  'with-key': 'With an `Idempotency-Key`, the same request twice is the same as once.',
  never: 'The same request twice does the work twice.',
};

const accessText = (access) =>
  ({ public: 'public', authenticated: 'every key' })[access] ?? `scope ${code(access)}`;

function describe(name, contract) {
  const { method, path, access, idempotent, summary, description, deprecated, query, body, refusals } =
    contract;
  return [
    `### ${method} ${path}`,
    `${deprecated ? '**Deprecated.** ' : ''}${summary}. ${description ?? ''}`.trim(),
    `Operation ${code(name)}, ${accessText(access)}. ${method === 'GET' ? '' : REPEATED[idempotent]}`.trim(),
    query && withTitle('Query:', fieldTable(query)),
    body && withTitle('Body:', fieldTable(body)),
    refusals.length > 0 && `Errors: ${refusals.map(code).join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function withTitle(title, fields) {
  return fields && `${title}\n\n${fields}`;
}
