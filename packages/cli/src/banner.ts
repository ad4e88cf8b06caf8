/** What a host prints once it listens: its address, its data folder, its workflows and agents, and commands to try. */
export interface Started {
  readonly version: string;
  readonly url: string;
  readonly dataFolder: string;
  /** Absent if the operator set BATON_API_KEY. */
  readonly developmentKey?: string;
  readonly workflows: readonly string[];
  readonly agents: readonly string[];
  /** How many runs stopped the engine earlier and are held. */
  readonly heldRuns: number;
}

type Paint = (text: string) => string;
const bold: Paint = (text) => `\x1b[1m${text}\x1b[22m`;
const dim: Paint = (text) => `\x1b[2m${text}\x1b[22m`;
const plain: Paint = (text) => text;

const MOST_SHOWN = 8;

export function banner(started: Started, colour: boolean): string {
  const strong = colour ? bold : plain;
  const faint = colour ? dim : plain;
  const { developmentKey } = started;
  const rows: readonly (readonly [label: string, text: string])[] = [
    ['address', strong(started.url)],
    ['data', started.dataFolder],
    [
      'API key',
      developmentKey === undefined
        ? 'from BATON_API_KEY'
        : `${developmentKey} ${faint('(for development, kept in dev-key in the data folder)')}`,
    ],
    ['workflows', listed(started.workflows, 'BATON_WORKFLOWS')],
    ['agents', listed(started.agents, 'BATON_AGENTS')],
    ...(started.heldRuns > 0 ? [['held', heldText(started.heldRuns)] as const] : []),
  ];
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return [
    '',
    `${strong('Baton')} ${started.version}`,
    '',
    ...rows.map(([label, text]) => `  ${faint(label.padEnd(width))}${text}`),
    '',
    faint('Run something:'),
    '',
    ...tryOut(started).map((line) => `  ${line}`),
    '',
    faint('Read its events, live while it runs; RUN_ID is the runId of the answer:'),
    '',
    `  curl -N ${started.url}/v1/runs/RUN_ID/events -H ${authorization(started)}`,
    '',
    '',
  ].join('\n');
}

function heldText(runs: number): string {
  return `${runs} ${runs === 1 ? 'run that stopped the engine is' : 'runs that stopped the engine are'} held; see "baton held"`;
}

function listed(ids: readonly string[], setting: string): string {
  if (ids.length === 0) return `none; name a folder of them with ${setting}`;
  const shown = ids.slice(0, MOST_SHOWN).join(', ');
  const more = ids.length - MOST_SHOWN;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** A command that runs the workflow `hello` if it exists, else the first workflow. */
function tryOut(started: Started): readonly string[] {
  const first = started.workflows.includes('hello') ? 'hello' : started.workflows[0];
  if (first === undefined) return [`curl ${started.url}/v1/workflows -H ${authorization(started)}`];
  const body = first === 'hello' ? { workflowId: first, inputs: { name: 'Ada' } } : { workflowId: first };
  return [
    `curl ${started.url}/v1/runs -H ${authorization(started)} \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=10' -d '${JSON.stringify(body)}'`,
  ];
}

/** The operator's key is never printed. The shell inserts it when somebody runs the printed command. */
function authorization({ developmentKey }: Started): string {
  return developmentKey === undefined
    ? '"Authorization: Bearer $BATON_API_KEY"'
    : `'Authorization: Bearer ${developmentKey}'`;
}
