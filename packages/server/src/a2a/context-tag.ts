/** The tag of the runs of one A2A context has this prefix. */
export const CONTEXT_TAG = 'a2a:ctx_';
