/** Below this an agent's own confidence is not enough to act on, unless the run sets another threshold. */
export const DEFAULT_CONFIDENCE_THRESHOLD = 0.7;
