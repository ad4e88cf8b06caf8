import { fromJson, workflow } from '@baton/client/builder';
import { example } from './read-example.ts';

/** The gated examples, built instead of written as JSON. */

const topic = { type: 'string', description: 'What to write about', required: true } as const;

export const writer = workflow('vetted-report-writer', {
  name: 'Vetted report: writer',
  description:
    'Worker of the vetted report. Takes a moment to write about a topic; when a critic has sent it back, it does what the feedback says.',
  variables: {
    topic,
    attempt: { type: 'number', description: 'Counts from 2 when a critic sent it back' },
    feedback: { type: 'string', description: 'What the critic asked for' },
    text: { type: 'string', description: 'The result' },
  },
  metadata: { tags: ['example'] },
})
  .delay('think', 500, { name: 'Think' })
  .set(
    'write',
    {
      text: "'All about ' + variables.topic + '.' + (has(variables.feedback) ? ' Sources: the almanac.' : '')",
    },
    { name: 'Write' },
  )
  .edge('think', 'write', { id: 'then' });

export const critic = workflow('vetted-report-critic', {
  name: 'Vetted report: critic',
  description:
    'Critic of the vetted report. Takes a moment to look at what the writer brought, and passes it only if it names its sources. A critic is a workflow like any other; its variables verdict, confidence and feedback are its answer.',
  variables: {
    verdict: { type: 'string', description: 'pass, fail or revise' },
    confidence: { type: 'number', description: 'How sure the critic is, from 0 to 1' },
    feedback: { type: 'string', description: 'What the writer should do better' },
  },
  metadata: { tags: ['example'] },
})
  .delay('read', 500, { name: 'Read' })
  .set(
    'judge',
    {
      verdict: "inputs.outputs.text.contains('Sources:') ? 'pass' : 'revise'",
      confidence: '0.9',
      feedback: "'Attempt ' + string(inputs.attempt) + ' does not name its sources.'",
    },
    { name: 'Judge' },
  )
  .edge('read', 'judge', { id: 'then' });

export const vettedReport = workflow('vetted-report', {
  name: 'Vetted report',
  description: example('vetted-report.json').description ?? '',
  variables: {
    topic: { type: 'string', description: 'What to report on', defaultValue: 'tides' },
    report: { type: 'string', description: 'The report, once everybody let it through' },
  },
  metadata: { tags: ['example'] },
}).supervise({
  lead: {
    id: 'editor',
    name: 'Editor in chief',
    agent: { agentId: 'vendor.baton.examples.editor', name: 'Editor in chief' },
    plan: [
      { next: 'writer', confidence: 0.9 },
      {
        terminate: 'the report is vetted',
        confidence: 0.9,
        successCriteria: [{ key: 'report-vetted', met: true }],
      },
    ],
  },
  workers: { writer: { run: writer, input: { topic: 'topic' }, output: { report: 'text' } } },
  handOut: { id: 'commission', name: 'Commission the report' },
  gate: {
    attest: true,
    critic: { run: critic, criteria: ['names-its-sources'], maxRevisions: 1 },
    approve: true,
  },
});

export const researchTeam = workflow('research-team', {
  name: 'Research team',
  description: example('research-team/workflow.json').description ?? '',
  variables: {
    question: {
      type: 'string',
      description: 'What to find out',
      defaultValue: 'How much do street trees cool a city?',
    },
    findings: { type: 'array', description: 'Claims with their sources, once they are merged' },
    gaps: { type: 'array', description: 'What is not known' },
    report: { type: 'string', description: 'The report, once it is merged' },
  },
  metadata: { tags: ['example', 'agents'] },
}).supervise({
  lead: { name: 'Research lead', agent: 'local.research-team.lead' },
  workers: {
    reader: {
      run: 'local.research-team.reader',
      description: 'Finds claims with sources, and open questions.',
      input: { question: 'question' },
      output: { findings: 'findings', gaps: 'gaps' },
    },
    writer: {
      run: 'local.research-team.writer',
      description: 'Writes the report from what the reader found.',
      input: { question: 'question', findings: 'findings', gaps: 'gaps' },
      output: { report: 'report' },
    },
  },
  handOut: { id: 'commission', name: 'Hand out the work' },
  gate: {
    attest: true,
    critic: {
      run: 'local.research-team.critic',
      criteria: ['every-number-has-a-source', 'says-what-is-not-known'],
      maxRevisions: 2,
    },
    approve: true,
  },
});

const change = { change: 'change' } as const;
const panel = 'local.code-review-panel';

export const codeReviewPanel = workflow('code-review-panel', {
  name: 'Code review panel',
  description: example('code-review-panel/workflow.json').description ?? '',
  variables: {
    change: {
      type: 'string',
      description: 'The change as a diff',
      defaultValue: String(
        fromJson(example('code-review-panel/workflow.json')).toJSON().variables?.[0]?.defaultValue,
      ),
    },
    reviews: { type: 'object', description: 'The three reviews' },
    recommendation: { type: 'string', description: 'merge or change' },
    summary: { type: 'string', description: 'The review for the author' },
    outcome: { type: 'string', description: 'What became of it' },
  },
  metadata: { tags: ['example', 'agents'] },
})
  .agent('correctness', `${panel}.correctness`, { name: 'Review correctness', inputs: change })
  .agent('security', `${panel}.security`, { name: 'Review security', inputs: change })
  .agent('readability', `${panel}.readability`, { name: 'Review readability', inputs: change })
  .set(
    'collect',
    {
      reviews:
        "{'correctness': nodes.correctness.outputs.result, 'security': nodes.security.outputs.result, 'readability': nodes.readability.outputs.result}",
    },
    { name: 'Collect the reviews' },
  )
  .subWorkflow('chair', `${panel}.chair`, {
    name: 'Put the reviews together',
    input: { reviews: 'reviews' },
    output: { recommendation: 'recommendation', summary: 'summary' },
    gate: {
      critic: { run: `${panel}.critic`, criteria: ['can-be-acted-on', 'is-about-the-code'], maxRevisions: 1 },
    },
  })
  .approval(
    'vote',
    {
      title: 'Post this review?',
      description: 'Two people have to accept. One rejection withdraws the review.',
      actions: ['accept', 'reject'],
      requiredApprovals: 2,
    },
    { name: 'Vote', inputs: { recommendation: 'recommendation', summary: 'summary' } },
  )
  .set('post', { outcome: "'posted: ' + variables.recommendation" }, { name: 'Post the review' })
  .set('withdraw', { outcome: "'withdrawn'" }, { name: 'Withdraw the review' })
  .edge('correctness', 'collect', { id: 'correctness-done' })
  .edge('security', 'collect', { id: 'security-done' })
  .edge('readability', 'collect', { id: 'readability-done' })
  .edge('collect', 'chair', { id: 'to-chair' })
  .edge('chair', 'vote', { id: 'to-vote' })
  .edge('vote', 'post', { id: 'accepted' })
  .edge('vote', 'withdraw', { id: 'rejected', triggerRule: 'any_failed' });
