import { describe } from 'vitest';
import { auditContract } from './audit.ts';
import { changeFeedContract } from './changes.ts';
import { commitContract } from './commit.ts';
import { effectContract } from './effects.ts';
import { eventOrderContract } from './event-order.ts';
import { forkLoadingContract } from './fork-loading.ts';
import { forkContract } from './forks.ts';
import { interruptContract } from './interrupts.ts';
import { keyContract } from './keys.ts';
import { listedStateContract } from './listed-states.ts';
import { listingContract } from './listing.ts';
import { loadingContract } from './loading.ts';
import { memoryCarryContract } from './memory-carry.ts';
import { memoryChangeContract } from './memory-changes.ts';
import { memoryHistoryContract } from './memory-history.ts';
import { memorySearchContract } from './memory-search.ts';
import { memoryViewContract } from './memory-views.ts';
import { modelAnswerContract } from './model-answers.ts';
import { peerContract } from './peers.ts';
import { pruningContract } from './pruning.ts';
import { purgingContract } from './purging.ts';
import { refusalContract } from './refusals.ts';
import { remoteCancelContract } from './remote-cancels.ts';
import { reopeningContract } from './reopening.ts';
import { replyContract } from './replies.ts';
import { secretContract } from './secrets.ts';
import { spendingContract } from './spending.ts';
import { taskPushContract } from './task-pushes.ts';
import { tenancyContract } from './tenancy.ts';
import { treeFenceContract } from './tree-fence.ts';
import { troubleContract } from './trouble.ts';
import type { StoreFactory } from './under-test.ts';
import { usageContract } from './usage.ts';
import { viewsContract } from './views.ts';
import { wakeContract } from './wakes.ts';
import { webhookContract } from './webhooks.ts';
import { workflowContract } from './workflows.ts';

/**
 * The contract of every store. The tests of an implementation call this function with a way to open an empty
 * store.
 */
export function storeContract(name: string, factory: StoreFactory): void {
  describe(`${name} keeps the store contract`, () => {
    describe('commit', () => commitContract(factory));
    describe('the fence around a tree', () => treeFenceContract(factory));
    describe('refusals', () => refusalContract(factory));
    describe('loading', () => loadingContract(factory));
    describe('the order of events', () => eventOrderContract(factory));
    describe('forks', () => forkContract(factory));
    describe('loading forks', () => forkLoadingContract(factory));
    describe('owners of effects', () => effectContract(factory));
    describe('wakes', () => wakeContract(factory));
    describe('troubled trees', () => troubleContract(factory));
    describe('replies', () => replyContract(factory));
    describe('answers of models', () => modelAnswerContract(factory));
    describe('interrupts', () => interruptContract(factory));
    describe('listing runs', () => listingContract(factory));
    describe('listed states', () => listedStateContract(factory));
    describe('views of runs', () => viewsContract(factory));
    describe('changes of memory', () => memoryChangeContract(factory));
    describe('carried memory', () => memoryCarryContract(factory));
    describe('views of memory', () => memoryViewContract(factory));
    describe('memory as it was', () => memoryHistoryContract(factory));
    describe('searching memory', () => memorySearchContract(factory));
    describe('purging trees', () => purgingContract(factory));
    describe('pruning memory', () => pruningContract(factory));
    describe('bytes of a tenant', () => usageContract(factory));
    describe('spending of a tenant', () => spendingContract(factory));
    describe('tenancy', () => tenancyContract(factory));
    describe('workflows', () => workflowContract(factory));
    describe('keys', () => keyContract(factory));
    describe('hosts', () => peerContract(factory));
    describe('secrets', () => secretContract(factory));
    describe('pushes of tasks', () => taskPushContract(factory));
    describe('cancels for other hosts', () => remoteCancelContract(factory));
    describe('webhooks', () => webhookContract(factory));
    describe('the feed of changes', () => changeFeedContract(factory));
    describe('evidence', () => auditContract(factory));
    describe('reopening', () => reopeningContract(factory));
  });
}
