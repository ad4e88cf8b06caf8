/** The snippets that no test runs, and why. */
interface NotRun {
  readonly page: string;
  /** How the snippet begins. */
  readonly begins: string;
  readonly why: string;
}

export const NOT_RUN: readonly NotRun[] = [
  {
    page: 'ARCHITECTURE.md',
    begins: '   commands (create, answer, cancel, pause …)',
    why: 'It is a drawing of the threads of a host.',
  },
  {
    page: 'docs/tutorial.md',
    begins: 'npm run pack -- /tmp/baton-packages\n',
    why: 'tests/installing/packed.proof.ts does the same in a folder of its own, with a registry on this machine.',
  },
  {
    page: 'docs/how-to/cluster.md',
    begins: 'npm run pack -- packed\n',
    why: 'It needs Docker. deploy-files.proof.ts reads the files as a host would.',
  },
  {
    page: 'docs/how-to/cluster.md',
    begins: 'kubectl create secret generic baton',
    why: 'It needs Kubernetes. deploy-files.proof.ts reads the file as a host would.',
  },
  {
    page: 'docs/how-to/cluster.md',
    begins: 'pg_dump ',
    why: 'The Postgres of the tests has no pg_dump.',
  },
];
