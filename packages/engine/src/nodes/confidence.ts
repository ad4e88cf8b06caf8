/** If an agent's confidence is below this, a person is asked. A run can set another threshold. */
export const DEFAULT_CONFIDENCE_THRESHOLD = 0.7;
