import { runsAndEvents } from './0001-runs-and-events.ts';
import { rolesOfKeys } from './0002-roles-of-keys.ts';
import { rolesAndGoals } from './0003-roles-and-goals.ts';
import { memoryAndForks } from './0004-memory-and-forks.ts';
import { audit } from './0005-audit.ts';
import { modelAnswers } from './0006-model-answers.ts';
import { troubledTrees } from './0007-troubled-trees.ts';
import { imports } from './0008-imports.ts';
import { repliesByPrincipal } from './0009-replies-by-principal.ts';
import { newestCheckpoint } from './0010-newest-checkpoint.ts';
import { tenantUsage } from './0011-tenant-usage.ts';
import { placesInTrees } from './0012-places-in-trees.ts';
import { auditLog } from './0013-audit-log.ts';
import { effects } from './0014-effects.ts';
import { shortTexts } from './0015-short-texts.ts';
import { secrets } from './0016-secrets.ts';
import { erasedTrees } from './0017-erased-trees.ts';
import { tenantSpending } from './0018-tenant-spending.ts';
import { webhooks } from './0019-webhooks.ts';
import { peers } from './0020-peers.ts';
import { taskPushes } from './0021-task-pushes.ts';
import { remoteCancels } from './0022-remote-cancels.ts';
import { peerCertificates } from './0023-peer-certificates.ts';

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
];
