import { isRole, ROLE_NAMES, type Role } from '@baton/engine';
import { nearest } from '@baton/protocol/nearest';
import { wrongUsage } from './output/command-failure.ts';

export function parseRole(text: string): Role {
  if (isRole(text)) return text;
  throw wrongUsage(
    `--role is "${text}", which is not a role; did you mean ${nearest(text, ROLE_NAMES)}? ` +
      `The roles are ${ROLE_NAMES.join(', ')}.`,
  );
}
