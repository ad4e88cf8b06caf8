/**
 * What each tenant used on each day, in UTC. Costs are whole billionths of a US dollar, so that the sum does not
 * depend on the order in which hosts add to it; NULL while no price was known.
 */
export const tenantSpending = `
CREATE TABLE tenant_spending (
  tenant        TEXT    NOT NULL,
  day           INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  tool_calls    INTEGER NOT NULL,
  cost_nano_usd INTEGER,
  PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;
`;
