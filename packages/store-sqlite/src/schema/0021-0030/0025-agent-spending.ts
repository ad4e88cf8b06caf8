/** What the agents of each tenant used on each day, in UTC, counted as in `tenant_spending`. */
export const agentSpending = `
CREATE TABLE agent_spending (
  tenant        TEXT    NOT NULL,
  day           INTEGER NOT NULL,
  agent_id      TEXT    NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  tool_calls    INTEGER NOT NULL,
  cost_nano_usd INTEGER,
  PRIMARY KEY (tenant, day, agent_id)
) STRICT, WITHOUT ROWID;
`;
