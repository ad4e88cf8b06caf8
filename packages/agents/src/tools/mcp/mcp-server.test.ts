import type { ToolCall } from '@baton/engine/ports';
import { describe, expect, it } from 'vitest';
import type { KeptLinkOptions } from './kept-link.ts';
import { type LinkEvents, LinkFailure, type McpLink, type McpOutcome } from './mcp-link.ts';
import { mcpServer } from './mcp-server.ts';

/** The life of a connection, with a server that is played and a clock that is moved by hand. */

const CALL: ToolCall = {
  id: 'mcp:files/read',
  input: {},
  tenant: 'acme',
  principal: 'ada',
  key: 'k',
  signal: new AbortController().signal,
};
const ANSWER: McpOutcome = { kind: 'answered', result: { content: [{ type: 'text', text: 'done' }] } };
const LOST: McpOutcome = { kind: 'lost', performed: 'unknown' };

/** Lets everything happen that needs no time. */
const settle = () => new Promise((done) => setImmediate(done));

type Settings = Partial<Parameters<typeof mcpServer>[0]>;

function play({
  settings = {} as Settings,
  repeatable = 'unknown' as 'yes' | 'unknown',
  outcomes = [] as McpOutcome[],
} = {}) {
  const waits: { ms: number; run: () => void }[] = [];
  const links: { events: LinkEvents; closed: boolean }[] = [];
  const played = {
    isAway: false,
    tools: [{ name: 'read', inputSchema: { type: 'object' } }] as unknown[] | Error,
    time: 1_000_000,
    calls: 0,
    warnings: [] as object[],
    waits,
    links,
    /** Runs the timers that wait. */
    pass() {
      for (const { run } of waits.splice(0)) run();
      return settle();
    },
  };
  const open: NonNullable<KeptLinkOptions['open']> = async (_config, _around, events) => {
    if (played.isAway) throw new LinkFailure('the server could not be reached', '');
    const entry = { events, closed: false };
    links.push(entry);
    const link: McpLink = {
      list: async () => {
        if (played.tools instanceof Error) throw played.tools;
        return structuredClone(played.tools);
      },
      call: async () => {
        played.calls += 1;
        return outcomes.shift() ?? ANSWER;
      },
      hidden: () => [],
      lastWords: () => '',
      close: async () => {
        entry.closed = true;
      },
    };
    return link;
  };
  const server = () =>
    mcpServer(
      {
        name: 'files',
        connection: { kind: 'http', url: 'https://example.com', headers: {} },
        approval: [],
        repeatable: { read: repeatable },
        scopes: {},
        timeoutMs: 1_000,
        ...settings,
      },
      {
        open,
        fetch: () => Promise.reject(new Error('not used')),
        secretOf: () => undefined,
        now: () => played.time,
        log: { warn: (details) => played.warnings.push(details) },
        timers: {
          after(ms, run) {
            const wait = { ms, run };
            waits.push(wait);
            return () => {
              if (waits.includes(wait)) waits.splice(waits.indexOf(wait), 1);
            };
          },
        },
      },
    );
  return { played, server };
}

/** A server that is up, or has failed to come up. */
async function started(given: Parameters<typeof play>[0] = {}, tools?: Error) {
  const { played, server } = play(given);
  if (tools !== undefined) played.tools = tools;
  const files = server();
  await files.settled();
  return { played, files };
}

describe('a name in the settings that no tool of the server has', () => {
  it('is logged once with the nearest tool, and the server counts as degraded', async () => {
    const settings = {
      approval: ['*', 'read', 'wriet'],
      repeatable: { raed: 'yes' },
      scopes: { '*': [], delete: [] },
      limited: ['re*', 'wr*'],
    } as const;
    const { played, server } = play({ settings });
    const files = server();
    await settle();
    const named = (entry: string, name: string) =>
      `${entry} in the file of BATON_TOOLS names "${name}", which is no tool of the server; did you mean read?`;
    const problems = [
      named('mcp.files.approval', 'wriet'),
      named('mcp.files.repeatable', 'raed'),
      named('mcp.files.scopes', 'delete'),
      named('limits', 'wr*'),
    ];
    expect(played.warnings).toEqual(problems.map((problem) => ({ server: 'files', problem })));
    expect(files.health()).toMatchObject({ status: 'degraded', tools: 1, problems });
    expect(files.misnamed()).toEqual(['wriet', 'raed', 'delete', 'wr*']);
    played.links[0]!.events.changed();
    await settle();
    expect(played.warnings).toHaveLength(problems.length);
    played.tools = ['read', 'wriet', 'raed', 'delete', 'write'].map((name) => ({
      name,
      inputSchema: { type: 'object' },
    }));
    played.links[0]!.events.changed();
    await settle();
    expect(files.health()).toMatchObject({ status: 'up', problems: [] });
    await files.stop();
  });
});

describe('a server that cannot be reached', () => {
  it('is tried again after times that double up to a minute', async () => {
    const { played, server } = play();
    played.isAway = true;
    const files = server();
    await settle();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      waits.push(played.waits[0]!.ms);
      await played.pass();
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(files.health()).toEqual({
      server: 'files',
      status: 'away',
      tools: 0,
      problems: ['the server could not be reached'],
    });
    played.isAway = false;
    await played.pass();
    expect(files.health()).toEqual({ server: 'files', status: 'up', tools: 1, problems: [] });
  });

  it('is asked at once for a call, and not twice', async () => {
    const { played, server } = play();
    played.isAway = true;
    const files = server();
    await settle();
    await expect(files.call('read', CALL)).resolves.toMatchObject({ error: { code: 'tool_unavailable' } });
    expect(played.waits).toHaveLength(1);
    played.isAway = false;
    await expect(files.call('read', CALL)).resolves.toEqual({ status: 'ok', output: 'done' });
    expect([played.waits, played.links.length]).toEqual([[], 1]);
  });
});

describe('a server that is lost', () => {
  it('keeps its last tools and is connected again', async () => {
    const { played, files } = await started();
    played.links[0]!.events.lost();
    expect([files.isUp(), files.tools().map(({ name }) => name)]).toEqual([false, ['read']]);
    expect(played.links[0]!.closed).toBe(true);
    await played.pass();
    expect([files.isUp(), played.links.length]).toEqual([true, 2]);
    // A second report on the connection that is gone means nothing.
    played.links[0]!.events.lost();
    expect(files.isUp()).toBe(true);
  });

  it('soon after each start is started less and less often', async () => {
    const { played } = await started();
    const waits: number[] = [];
    for (const up of [0, 0, 0, 61_000, 0]) {
      played.time += up;
      played.links.at(-1)!.events.lost();
      waits.push(played.waits[0]!.ms);
      await played.pass();
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 1_000, 2_000]);
  });

  it('while its tools are listed is not up', async () => {
    const { played, files } = await started({}, new Error('no list'));
    expect([files.isUp(), played.links[0]!.closed, played.waits.length]).toEqual([false, true, 1]);
  });
});

describe('the tools of a server', () => {
  it('are listed again when it says so', async () => {
    const { played, files } = await started();
    played.tools = [{ name: 'write', inputSchema: { type: 'object' } }];
    played.links[0]!.events.changed();
    await settle();
    expect(files.tools().map(({ name }) => name)).toEqual(['write']);
    await expect(files.call('read', CALL)).resolves.toMatchObject({ error: { code: 'tool_not_found' } });
  });

  it('stay known if they cannot be listed again, and the server is away', async () => {
    const { played, files } = await started();
    played.tools = new Error('no list');
    played.links[0]!.events.changed();
    await settle();
    expect([files.isUp(), files.tools().map(({ name }) => name)]).toEqual([false, ['read']]);
  });
});

describe('a call whose connection is lost', () => {
  it.each([
    ['is not repeated', 'unknown', [LOST], 1, { error: { code: 'tool_outcome_unknown' } }],
    ['is repeated if the tool may be repeated', 'yes', [LOST], 2, { status: 'ok' }],
    ['is repeated once', 'yes', [LOST, LOST], 2, { error: { code: 'tool_outcome_unknown' } }],
    ['is repeated if it was not performed', 'unknown', [{ ...LOST, performed: 'no' }], 2, { status: 'ok' }],
    [
      'is repeated once if it was not performed',
      'unknown',
      [
        { ...LOST, performed: 'no' },
        { ...LOST, performed: 'no' },
      ],
      2,
      { error: { code: 'tool_unavailable' } },
    ],
  ] as const)('%s', async (_, repeatable, outcomes, calls, result) => {
    const { played, files } = await started({ repeatable, outcomes: [...outcomes] as McpOutcome[] });
    await expect(files.call('read', CALL)).resolves.toMatchObject(result);
    expect(played.calls).toBe(calls);
  });

  it('is not repeated when it is no longer awaited', async () => {
    const { played, files } = await started({ repeatable: 'yes', outcomes: [LOST] });
    await files.call('read', { ...CALL, signal: AbortSignal.abort() });
    expect(played.calls).toBe(1);
  });
});

it('a time-out leads to a look at the server, which is lost if it does not list its tools', async () => {
  const { played, files } = await started({ outcomes: [{ kind: 'timed-out' }] });
  played.tools = new Error('no list');
  await expect(files.call('read', CALL)).resolves.toMatchObject({ error: { code: 'tool_timeout' } });
  await settle();
  expect(files.isUp()).toBe(false);
});

it('a server that is stopped is closed, and nothing is tried again', async () => {
  const { played, files } = await started();
  await files.stop();
  expect([files.isUp(), played.links[0]!.closed, played.waits]).toEqual([false, true, []]);
  await expect(files.call('read', CALL)).resolves.toMatchObject({ error: { code: 'tool_unavailable' } });
  expect(played.links).toHaveLength(1);
});
