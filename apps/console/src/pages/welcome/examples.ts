/** Examples that `npm start` registers, the most telling first. */
export interface Example {
  readonly workflowId: string;
  readonly title: string;
  readonly about: string;
  /** What to look at while it runs. */
  readonly look: string;
}

const EXAMPLES: readonly Example[] = [
  {
    workflowId: 'hello',
    title: 'A first run',
    about: 'One step builds a greeting.',
    look: 'Every step is an event. Move the slider of the run to see its variables before and after the step.',
  },
  {
    workflowId: 'vetted-report',
    title: 'A report that is checked',
    about: 'A writer works, a critic sends the first draft back, and a person lets the second one in.',
    look: 'After two seconds the run waits for you. Accept the report in the inbox, or edit it first, and see it merged.',
  },
  {
    workflowId: 'research-team',
    title: 'A team of agents',
    about: 'A supervisor hands a question to a reader and the findings to a writer; a critic judges both.',
    look: 'Each agent has its own lane in the timeline, and each handoff waits at the merge gate for your approval.',
  },
  {
    workflowId: 'research-desk',
    title: 'A supervisor and two workers',
    about: 'A supervisor hands a topic to a reader, and the notes to a writer.',
    look: 'The workers are runs of their own. Watch the handoffs between their lanes, turn by turn.',
  },
  {
    workflowId: 'code-review-panel',
    title: 'A panel that reviews code',
    about: 'Three agents review a change at the same time, and two people have to agree.',
    look: 'The three reviews run side by side. The inbox shows how many approvals are still missing.',
  },
  {
    workflowId: 'support-triage',
    title: 'An agent with a tool',
    about: 'An agent reads a ticket and wants to refund money.',
    look: 'The tool is called only after a person has approved this exact call.',
  },
  {
    workflowId: 'release-approval',
    title: 'A release that waits',
    about: 'A person accepts or rejects a release.',
    look: 'Reject it, move the slider back, fork there, and decide differently. The first run does not change.',
  },
];

const SHOWN = 3;

/** The examples that this host has. */
export function examplesOn(workflowIds: ReadonlySet<string>): readonly Example[] {
  return EXAMPLES.filter(({ workflowId }) => workflowIds.has(workflowId)).slice(0, SHOWN);
}
