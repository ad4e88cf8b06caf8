import { readFileSync, writeFileSync } from 'node:fs';
import { CONTRACTS, openApiDocument } from '@baton/protocol';

/**
 * Records the operations of the API of this version in `tests/client/recorded/`. The tests of later versions compare
 * the requests of their client with it.
 */

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { paths } = openApiDocument(CONTRACTS, { title: 'Baton', version });

const operations = Object.fromEntries(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, responses }]) => [
      operationId,
      {
        method: method.toUpperCase(),
        path,
        parameters: parameters.map(({ in: place, name, required }) => ({ in: place, name, required })),
        body: requestBody === undefined ? 'none' : requestBody.required ? 'required' : 'optional',
        answers: Object.keys(responses)
          .map(Number)
          .filter((status) => status < 300),
      },
    ]),
  ),
);

const file = new URL(`../tests/client/recorded/${version}.json`, import.meta.url);
writeFileSync(file, `${JSON.stringify({ version, operations }, null, 2)}\n`);
console.log(`Recorded ${Object.keys(operations).length} operations in ${file.pathname}`);
