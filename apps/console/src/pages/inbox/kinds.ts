/** What each kind of question is called. */
export const KIND_LABELS: Readonly<Record<string, string>> = {
  approval: 'Approval',
  'low-confidence': 'Unsure decision',
  clarification: 'Question',
  'external-event': 'External event',
  custom: 'Answer',
};

/** The names of the types of artifacts, as people say them. */
export const ARTIFACT_LABELS: Readonly<Record<string, string>> = {
  'sub-run-outputs': 'The outputs that would be merged',
  'node-inputs': 'The values to approve',
  'tool-call': 'The tool call',
  'lost-tool-call': 'The tool call that may have happened',
  'orchestrator-decision': 'The decision of the supervisor',
};
