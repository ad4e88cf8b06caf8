/** What a package needs that extends the host: see `host/host-extension.ts`. */

export { callerOf, identityOf } from './auth/bearer.ts';
export { OPERATOR_TENANT, rolesOf } from './auth/keyring.ts';
export { createPages } from './events/pages.ts';
export { waitForRun } from './events/wait.ts';
export type { HostExtension } from './host/host-extension.ts';
export { carryOut } from './http/command.ts';
export type { HostContext, Routes } from './http/context.ts';
export { refusal } from './http/errors.ts';
export type { Extension } from './thread/extension.ts';
export { readDefinition, registerWorkflow } from './workflows/register.ts';
export { sendRegistration } from './workflows/routes.ts';
export { listFiles, readFile } from './workspace/routes.ts';
