import { runsAndEvents } from './0001-0010/0001-runs-and-events.ts';
import { rolesOfKeys } from './0001-0010/0002-roles-of-keys.ts';
import { rolesAndGoals } from './0001-0010/0003-roles-and-goals.ts';
import { memoryAndForks } from './0001-0010/0004-memory-and-forks.ts';
import { audit } from './0001-0010/0005-audit.ts';
import { modelAnswers } from './0001-0010/0006-model-answers.ts';
import { troubledTrees } from './0001-0010/0007-troubled-trees.ts';
import { imports } from './0001-0010/0008-imports.ts';
import { repliesByPrincipal } from './0001-0010/0009-replies-by-principal.ts';
import { newestCheckpoint } from './0001-0010/0010-newest-checkpoint.ts';
import { tenantUsage } from './0011-0020/0011-tenant-usage.ts';
import { placesInTrees } from './0011-0020/0012-places-in-trees.ts';
import { auditLog } from './0011-0020/0013-audit-log.ts';
import { effects } from './0011-0020/0014-effects.ts';
import { shortTexts } from './0011-0020/0015-short-texts.ts';
import { secrets } from './0011-0020/0016-secrets.ts';
import { erasedTrees } from './0011-0020/0017-erased-trees.ts';
import { tenantSpending } from './0011-0020/0018-tenant-spending.ts';
import { webhooks } from './0011-0020/0019-webhooks.ts';
import { peers } from './0011-0020/0020-peers.ts';
import { taskPushes } from './0021-0030/0021-task-pushes.ts';
import { remoteCancels } from './0021-0030/0022-remote-cancels.ts';
import { peerCertificates } from './0021-0030/0023-peer-certificates.ts';
import { listedStates } from './0021-0030/0024-listed-states.ts';
import { agentSpending } from './0021-0030/0025-agent-spending.ts';
import { offeredEffects } from './0021-0030/0026-offered-effects.ts';

/** All schema changes in order. The first creates version 1. Released migrations are never changed. */
export const MIGRATIONS: readonly string[] = [
  runsAndEvents,
  rolesOfKeys,
  rolesAndGoals,
  memoryAndForks,
  audit,
  modelAnswers,
  troubledTrees,
  imports,
  repliesByPrincipal,
  newestCheckpoint,
  tenantUsage,
  placesInTrees,
  auditLog,
  effects,
  shortTexts,
  secrets,
  erasedTrees,
  tenantSpending,
  webhooks,
  peers,
  taskPushes,
  remoteCancels,
  peerCertificates,
  listedStates,
  agentSpending,
  offeredEffects,
];
