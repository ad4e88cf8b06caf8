import Type from 'typebox';

/** Secrets that a tenant sets while the host runs. */

/** More secrets would make the redaction of every event slower. */
export const MAX_SECRETS = 64;
export const MIN_SECRET_CHARACTERS = 8;
export const MAX_SECRET_CHARACTERS = 4096;

/** The name is shown wherever the value was redacted, so it has only characters that need no escaping. */
export const SecretName = Type.String({
  pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$',
  description: 'Letters, digits and . _ - only; it does not begin with a dot or a dash',
});

export const PutSecret = Type.Object(
  {
    value: Type.String({
      minLength: MIN_SECRET_CHARACTERS,
      maxLength: MAX_SECRET_CHARACTERS,
      writeOnly: true,
      description: 'Not a number, and without white space at its beginning and its end',
    }),
  },
  { additionalProperties: false },
);
export type PutSecret = Type.Static<typeof PutSecret>;

/** A secret as lists show it. */
export const SecretEntry = Type.Object(
  {
    name: Type.String(),
    updatedAt: Type.String({ format: 'date-time' }),
    unreadable: Type.Optional(
      Type.Boolean({ description: 'True if the host has no key that opens the secret; set it again' }),
    ),
  },
  { additionalProperties: false },
);
export type SecretEntry = Type.Static<typeof SecretEntry>;
