import { describe, expect, it } from 'vitest';
import { readTools } from './tools-file.ts';

const ENV = { FILES_TOKEN: 'from-the-environment', EMPTY: '' };
const read = (content: unknown) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 1);
  return readTools({ name: 'tools.json', text }, ENV);
};

/** A file with one server and one tool, and a limit for these tools. */
const limiting = (tools: string) => ({
  mcp: { files: { command: 'npx' } },
  http: { ticket: { url: 'https://tickets.example.com/' } },
  limits: { [tools]: { calls: 1, perSeconds: 1 } },
});

it.each(['*', 'mcp:*', 'mcp:files/*', 'mcp:files/read', 'http:*', 'http:ticket', 'baton:time'])(
  'takes a limit for %s',
  (tools) => {
    expect(read(limiting(tools))).toMatchObject({ config: { limits: [{ tools }] } });
  },
);

it('reads servers, tools and limits', () => {
  const content = {
    mcp: {
      files: {
        command: 'npx',
        args: ['-y', 'server', '/srv'],
        folder: '/srv',
        env: { TOKEN: { env: 'FILES_TOKEN' }, MODE: 'read' },
        approval: ['write_file'],
        repeatable: { read_file: 'yes' },
        scopes: { write_file: ['workspace:write'] },
        timeoutSeconds: 5,
      },
      web: {
        url: 'https://mcp.example.com/mcp',
        headers: { authorization: { secret: 'WEB', prefix: 'Bearer ' } },
      },
    },
    http: {
      ticket: {
        description: 'Opens a ticket.',
        method: 'POST',
        url: 'https://tickets.example.com/{project}/tickets',
        headers: { 'x-key': { env: 'FILES_TOKEN' } },
        parameters: { type: 'object', properties: { project: { type: 'string' } }, required: ['project'] },
        returns: { type: 'object' },
        approval: true,
        scopes: ['workspace:write'],
        private: true,
      },
      status: { url: 'https://status.example.com/' },
    },
    limits: { 'mcp:files/*': { calls: 10, perSeconds: 60 } },
  };
  expect(read(content)).toEqual({
    config: {
      mcp: [
        {
          name: 'files',
          connection: {
            kind: 'stdio',
            command: 'npx',
            args: ['-y', 'server', '/srv'],
            folder: '/srv',
            env: {
              TOKEN: { kind: 'env', text: 'from-the-environment', prefix: '' },
              MODE: { kind: 'plain', text: 'read' },
            },
          },
          approval: ['write_file'],
          repeatable: { read_file: 'yes' },
          scopes: { write_file: ['workspace:write'] },
          limited: ['*'],
          timeoutMs: 5_000,
        },
        {
          name: 'web',
          connection: {
            kind: 'http',
            url: 'https://mcp.example.com/mcp',
            headers: { authorization: { kind: 'secret', name: 'WEB', prefix: 'Bearer ' } },
          },
          approval: [],
          repeatable: {},
          scopes: {},
          timeoutMs: 60_000,
        },
      ],
      http: [
        {
          name: 'ticket',
          description: 'Opens a ticket.',
          method: 'POST',
          url: 'https://tickets.example.com/{project}/tickets',
          headers: { 'x-key': { kind: 'env', text: 'from-the-environment', prefix: '' } },
          parameters: { type: 'object', properties: { project: { type: 'string' } }, required: ['project'] },
          returns: { type: 'object' },
          repeatable: 'unknown',
          approval: true,
          scopes: ['workspace:write'],
          private: true,
          timeoutMs: 30_000,
        },
        {
          name: 'status',
          method: 'GET',
          url: 'https://status.example.com/',
          headers: {},
          parameters: { type: 'object', properties: {} },
          repeatable: 'yes',
          approval: false,
          scopes: [],
          private: false,
          timeoutMs: 30_000,
        },
      ],
      limits: [{ tools: 'mcp:files/*', calls: 10, perSeconds: 60 }],
    },
  });
  expect(read('{}')).toEqual({ config: { mcp: [], http: [], limits: [] } });
});

const server = (more: object) => ({ mcp: { files: { command: 'npx', ...more } } });
const tool = (more: object) => ({ http: { ticket: { url: 'https://example.com/', ...more } } });

describe('a mistake stops the start', () => {
  it.each([
    ['{\n "mcp": {}\n "http": {}\n}', /^tools\.json, line 3: this is not JSON/],
    ['{\n "mcp": {},\n "mcp": {}\n}', /^tools\.json, line 3: mcp is written twice/],
    ['[]', /^tools\.json, line 1: the file must be an object/],
    [{ mcps: {} }, /^tools\.json, line 2: mcps is not known here; write one of mcp, http, limits$/],
    [{ mcp: [] }, /line 2: mcp must be an object/],
    [{ mcp: { my_files: { command: 'x' } } }, /line 3: mcp.my_files must have a name of 1 to 32 letters/],
    [{ mcp: { http: { command: 'x' } } }, /other than http, baton and handoff/],
    [{ mcp: { handoff: { command: 'x' } } }, /other than http, baton and handoff/],
    [{ mcp: { files: {} } }, /line 3: mcp.files must have either "command"/],
    [server({ url: 'https://example.com' }), /must have either "command"/],
    [server({ comand: 'x' }), /line 5: mcp.files.comand is not known here; write one of command, args/],
    [server({ headers: {} }), /mcp.files.headers is not known here/],
    [server({ command: 7 }), /mcp.files.command must be a text, such as "npx"/],
    [server({ args: 'x' }), /mcp.files.args must be a list/],
    [server({ args: ['x', 7] }), /line 7: mcp.files.args.1 must be a text/],
    [server({ env: { A: 7 } }), /mcp.files.env.A must be a text, \{"env": "NAME"\} or/],
    [server({ env: { A: {} } }), /must have either "env" or "secret"/],
    [server({ env: { A: { env: 'X', secret: 'Y' } } }), /must have either "env" or "secret"/],
    [
      server({ env: { A: { env: 'MISSING' } } }),
      /mcp.files.env.A.env names the environment variable MISSING/,
    ],
    [server({ env: { A: { env: 'EMPTY' } } }), /which is not set; set it/],
    [server({ env: { A: { env: 'constructor' } } }), /which is not set/],
    [server({ repeatable: { a: true } }), /mcp.files.repeatable.a must be one of "yes", "no", "unknown"/],
    [server({ scopes: { a: ['files:write'] } }), /mcp.files.scopes.a.0 is not a scope; write one of/],
    [server({ timeoutSeconds: 0 }), /must be a whole number from 1 to 600, such as 60/],
    [{ mcp: { web: { url: 'ftp://example.com' } } }, /mcp.web.url must begin with https/],
    [{ mcp: { web: { url: 'https://user:secret@example.com' } } }, /must not hold a password/],
    [{ mcp: { web: { url: 'https://example.com/{a}' } } }, /must not have \{name\}/],
    [
      { mcp: { web: { url: 'https://example.com', headers: { host: 'x' } } } },
      /is not a header that can be set/,
    ],
    [{ mcp: { web: { url: 'https://example.com', headers: { 'a b': 'x' } } } }, /is not a header/],
    [
      { mcp: { web: { url: 'https://example.com', headers: { a: 'x\ny' } } } },
      /a character that a header cannot/,
    ],
    [{ http: { 'a b': { url: 'https://example.com/' } } }, /must have a name of 1 to 56/],
    [{ http: { a: {} } }, /http.a.url must be a text/],
    [tool({ method: 'get' }), /http.ticket.method must be one of "GET", "POST"/],
    [tool({ url: 'https://{host}/' }), /only behind the host/],
    [tool({ url: 'https://example.com/{id}' }), /must have "id" in "properties" and "required"/],
    [tool({ parameters: { type: 'array' } }), /must have "type": "object"/],
    [tool({ parameters: { type: 'nonsense' } }), /is not a schema that can be used/],
    [tool({ returns: 'text' }), /must be a JSON Schema/],
    [tool({ approval: 'yes' }), /must be true or false/],
    [tool({ private: 1 }), /must be true or false/],
    [{ limits: { 'files/*': { calls: 1, perSeconds: 1 } } }, /must be the id of a tool/],
    [{ limits: { 'mcp:*/a*': { calls: 1, perSeconds: 1 } } }, /must be the id of a tool/],
    [
      limiting('mcp:fiels/*'),
      /limits.mcp:fiels\/\* names no tool of this host; did you mean "mcp:files\/\*"/,
    ],
    [
      limiting('http:tickets'),
      /limits.http:tickets names no tool of this host; did you mean "http:ticket"\?/,
    ],
    [limiting('baton:calc'), /limits.baton:calc names no tool of this host/],
    [{ limits: { '*': { calls: 1.5, perSeconds: 1 } } }, /limits.\*.calls must be a whole number/],
    [{ limits: { '*': { calls: 1 } } }, /limits.\*.perSeconds must be a whole number/],
    [{ limits: { '*': { calls: 1, perSeconds: 1, per: 1 } } }, /limits.\*.per is not known here/],
  ])('%j', (content, problem) => {
    expect(read(content)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('whose message repeats no value of the file', () => {
    const content =
      '{\n "http": {"a": {"url": "https://example.com", "headers": {"x-key": "canary-1234" }}\n';
    expect(read(content)).toEqual({ problem: expect.not.stringContaining('canary') });
    const long = { http: { [`canary-${'x'.repeat(60)}-1234`]: {} } };
    expect(read(long)).toEqual({ problem: expect.stringMatching(/http\.canary-x… must have a name/) });
  });
});
