/** Answers of models that other runs of the same tenant may use. The key does not depend on the tenant. */
export const modelAnswers = `
CREATE TABLE model_answers (
  tenant    TEXT    NOT NULL,
  cache_key TEXT    NOT NULL,
  answer    TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (tenant, cache_key)
) STRICT;
`;
