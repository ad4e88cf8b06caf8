import { canonicalJson, type Json, type ResultStatement } from '@baton/protocol';
import type { PublicKey, SigningKey } from './signing-key.ts';

/** Signs and verifies statements about the results of runs. */

type Unsigned = Omit<ResultStatement, 'keyId' | 'signature' | 'algorithm'>;

/** The signed text begins with its purpose, so that no other signature of the key can pass for one of these. */
function statementText({ signature: _unsigned, ...statement }: ResultStatement): string {
  return `baton result\n${canonicalJson(statement as unknown as Json)}`;
}

export function signStatement(key: SigningKey, facts: Unsigned): ResultStatement {
  const statement = { ...facts, algorithm: 'sha256', keyId: key.keyId, signature: '' } as const;
  return { ...statement, signature: key.sign(statementText(statement)) };
}

export function verifiesStatement(key: PublicKey, statement: ResultStatement): boolean {
  return statement.keyId === key.keyId && key.verifies(statementText(statement), statement.signature);
}
