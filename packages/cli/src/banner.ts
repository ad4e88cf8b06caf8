/** What a host prints once it listens: the link to its console, its address, its data folder, its workflows and agents, and commands to try. */
export interface Started {
  readonly version: string;
  /** The address of the console with a code that signs in once. Absent if the host serves no console. */
  readonly consoleLink?: string;
  readonly url: string;
  readonly dataFolder: string;
  /** The data folder that commands use in the folder in which the host was started. */
  readonly usualDataFolder: string;
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
    ...(started.consoleLink === undefined ? [] : [['console', strong(started.consoleLink)] as const]),
    ['address', started.consoleLink === undefined ? strong(started.url) : started.url],
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
    faint(`In another terminal${developmentKey === undefined ? ', with BATON_API_KEY set' : ''}:`),
    '',
    `  npx baton ${tryOut(started.workflows)}${where(started)}`,
    `  npx baton inbox${where(started)}`,
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

/** Runs the workflow `hello` if it exists, else the first workflow. */
function tryOut(workflows: readonly string[]): string {
  if (workflows.includes('hello')) return 'run hello --input name=Ada --watch';
  return workflows[0] === undefined ? 'workflows push <file>' : `run ${workflows[0]} --watch`;
}

/** A command finds the host by itself if it is started in the folder in which the host was started. */
function where({ dataFolder, usualDataFolder }: Started): string {
  if (dataFolder === usualDataFolder) return '';
  const isPlain = /^[\w./-]+$/.test(dataFolder);
  return ` --data ${isPlain ? dataFolder : `'${dataFolder.replaceAll("'", `'\\''`)}'`}`;
}
