import type { Command } from 'commander';
import { talking } from './talking.ts';

/** Commands about runs. */

const repeated = (given: string, before: readonly string[] = []): readonly string[] => [...before, given];

function withInputs(command: Command, what: string): Command {
  return command
    .option('--input <name=value>', `${what}; the value may be JSON; may be repeated`, repeated)
    .option('--input-file <file>', 'the same as a JSON object in a file, or - for standard input');
}

export function addRuns(baton: Command): void {
  const run = withInputs(baton.command('run <workflow>'), 'a variable of the run')
    .description('Start a run, and wait until it has ended or waits for a person.')
    .option('--watch', 'show the run while it works')
    .option('--detach', 'only print the id of the run')
    .option('--scope <name>', 'the memory that the run shares with other runs')
    .option('--tag <text>', 'a tag by which the run can be found; may be repeated', repeated);
  talking(run, async () => (await import('../runs/start-run.ts')).startRun);

  const runs = baton
    .command('runs')
    .description('List runs, newest first.')
    .option(
      '--status <status>',
      'only those with this status, such as waiting-approval; or several: failed,cancelled',
    )
    .option('--workflow <id>', 'only those of this workflow')
    .option(
      '--search <text>',
      'only those with this text in the workflow or a tag, or at the beginning of the id',
    )
    .option('--limit <number>', 'how many (20)')
    .option('--all', 'child runs, too')
    .option('--watch', 'go on, and print each run that is created or changes');
  talking(runs, async () => (await import('../runs/list-runs.ts')).listRuns);

  const tail = baton
    .command('tail <run>')
    .description('Show a run from its beginning until it has ended.')
    .option('--until-waiting', 'stop when the run waits for a person');
  talking(tail, async () => (await import('../runs/tail-run.ts')).tailRun);

  const cancel = baton
    .command('cancel <run>')
    .description('End a run and its child runs.')
    .option('--reason <text>', 'why; recorded in the log');
  talking(cancel, async () => (await import('../runs/end-run.ts')).cancelRun);
}

export function addQuestions(baton: Command): void {
  talking(baton.command('inbox').description('List everything that waits for a person.'), async () => {
    return (await import('../runs/inbox.ts')).showInbox;
  });
  const decision = (name: string, description: string): Command =>
    baton
      .command(name)
      .description(description)
      .option('--node <id>', 'the node that asks, if the run has several open questions')
      .option('--yes', 'decide without being asked; needed where there is no terminal')
      .option('--watch', 'show the run afterwards');
  const approve = decision('approve <run>', 'Show what a run asks to be approved, and accept it.');
  approve.option('--comment <text>', 'recorded with the decision');
  talking(approve, async () => (await import('../questions/decide.ts')).approve);

  const reject = decision('reject <run>', 'Show what a run asks to be approved, and reject it.');
  reject.option('--reason <text>', 'why; recorded with the decision');
  talking(reject, async () => (await import('../questions/decide.ts')).reject);

  const edit = decision('edit <run>', 'Change what a run asks to be approved in $EDITOR, and accept it.');
  edit.option('--file <file>', 'take the changed artifact from a JSON file, or - for standard input');
  talking(edit, async () => (await import('../questions/edit-artifact.ts')).editArtifact);

  const answer = decision('answer <run> [value]', 'Answer the questions of a run.');
  withInputs(answer, 'the answer to one question, by its id');
  talking(answer, async () => (await import('../questions/answer.ts')).answerRun);
}

export function addHistory(baton: Command): void {
  const fork = withInputs(baton.command('fork <run>'), 'a variable that the branch begins with')
    .description('Repeat a run with its recorded results, or branch off at one of its events.')
    .option('--at <event>', 'the number of the event before which the fork begins (0)')
    .option('--branch', 'go on by itself from there, instead of a replay')
    .option('--live-models', 'the replay asks the models again and compares')
    .option('--watch', 'show the new run');
  talking(fork, async () => (await import('../runs/fork-run.ts')).forkRun);

  const retry = withInputs(baton.command('retry <run>'), 'a variable that the retry begins with')
    .description('Branch off a failed run at the node that failed.')
    .option('--watch', 'show the new run');
  talking(retry, async () => (await import('../runs/fork-run.ts')).retryRun);

  const diff = baton.command('diff <a> <b>').description('Show the events in which two runs differ.');
  talking(diff, async () => (await import('../runs/compare-runs.ts')).compareRuns);

  const state = baton
    .command('state <run>')
    .description('Show the variables, nodes and memory of a run.')
    .option('--at <event>', 'as they were before this event (now)');
  talking(state, async () => (await import('../runs/show-state.ts')).showState);

  const attest = baton
    .command('attest <run>')
    .description(
      'Show what was merged into a run, who let it through, and whether the logs still match the checksums. ' +
        'Exits with 1 if they do not.',
    );
  talking(attest, async () => (await import('../runs/attest-run.ts')).attestRun);
}
