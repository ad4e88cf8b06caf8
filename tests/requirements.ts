/**
 * Every normative statement that this host claims to keep, each with a stable id. A test says which ones it verifies
 * by calling `verifies`; at the end of a whole run the reporter names those that no passing test has verified.
 * The texts are those of the requirements manifest; where that is at hand, a test compares the two.
 */
export const REQUIREMENTS = {
  'LOOP-01':
    'The loop governs every workflow in which a `core.orchestrator.supervisor` node feeds a `core.dispatch` node, whenever version >= 1 is advertised, with or without a back edge',
  'LOOP-02': 'One orchestrator turn produces exactly one decision',
  'LOOP-03': 'The decision is appended as `runOrchestrator.decided` before anything acts on it',
  'LOOP-04':
    'The supervisor runs by its config: a scripted `mockDispatchPlan` under test, `prompt` + `model` in production',
  'LOOP-05':
    "A scripted plan is consumed one entry a turn; an exhausted plan terminates; `mockDecisions` is an alias; an empty config uses the host's default plan",
  'LOOP-06': 'The decision kinds are a closed set; an unknown kind is never routed',
  'LOOP-07': '`terminate` leaves the loop and ends in `run.completed`',
  'LOOP-08': '`clarify` (wire: `ask-user`) raises an interrupt of kind `clarification` and suspends the loop',
  'LOOP-09': '`escalate` raises an interrupt of kind `approval` and suspends the loop',
  'LOOP-10': '`next-worker` puts every entry of `nextWorkerIds[]` through the handoff machine',
  'LOOP-11':
    'The next turn starts only when every dispatched worker has settled: harvested, completed with nothing to harvest, failed or cancelled',
  'LOOP-12': 'A failed or cancelled worker settles its handoff; it does not by itself end the loop',
  'LOOP-13':
    'The loop is re-entrant: replay from a `fromSeq` after turn N gives the same state at that index, whatever the worker timing (with `agents.dispatchMapping`) or engine hand-over (with `eventLog.crossEngineOrdering.supported`)',
  'LOOP-14':
    'Two hosts given the same supervisor-driven workflow and input produce the same phases and the same causation shape',
  'LOOP-15':
    'Decision shape: `next-worker` needs at least one worker id (1–256 chars each); `ask-user` needs a non-empty `prompt`; `terminate` may carry a non-empty `reason`; `confidence` within [0,1]; no unknown keys',
  'LOOP-16':
    "A decided event carries the orchestrator's `agentId` (3–256 chars), constant for the run and equal to `runOrchestrator.agentId` on the snapshot",
  'LOOP-17': 'A dispatch node with no decision to consume fails with `no_pending_decision`',
  'LOOP-18': 'Worker ids are workflow ids, each started as a child run (`workerDispatchModel: child-run`)',
  'LOOP-19':
    '`fanOutPolicy` defaults to `sequential`: array order, next child only after the previous settled',
  'LOOP-20': '`fanOutPolicy: reject` with more than one worker fails with `fan_out_unsupported`',
  'LOOP-21':
    'Parallel fan-out is outside these documents; a host without it refuses it at registration instead of running it sequentially',
  'LOOP-22':
    '`iterationCap` bounds dispatch executions of a run; a breach is a `cap.breached` and a failed run',
  'LOOP-23': "The dispatch node's output names `childRunId` and `childStatus` of the last child",
  'LOOP-24':
    '`askUserRouting`: `auto`, `clarification` or `conversation`; `conversation` without that capability is a `validation_error` at registration',
  'LOOP-25': 'Exactly one terminal run event, and it is the last event of the log',

  'HAND-01':
    'Each dispatched worker passes through pending, dispatching, running and, when it has outputs to harvest, harvested',
  'HAND-02': 'pending: named by a decision, creation not begun; the only exit is dispatching',
  'HAND-03':
    'dispatching: exits to running only when the child exists and the input projection is done, or to failed when creation fails before any child node ran',
  'HAND-04': "running: exits only to completed, failed or cancelled, following the child's terminal status",
  'HAND-05':
    'harvested: only from completed, only with a non-empty effective `outputMapping`; terminal; the next turn sees the new values',
  'HAND-06': 'Every transition that happens emits exactly one chain event',
  'HAND-07': '`dispatch.began` is caused by the decided event',
  'HAND-08': '`dispatch.succeeded` is caused by `dispatch.began`',
  'HAND-09': '`dispatch.failed` is caused by `dispatch.began`',
  'HAND-10': '`child.completed` is caused by `dispatch.succeeded`',
  'HAND-11': '`child.failed` is caused by `dispatch.succeeded`',
  'HAND-12': '`child.cancelled` is caused by `dispatch.succeeded`',
  'HAND-13': '`output.harvested` is caused by `child.completed`',
  'HAND-14': 'The chain is unbroken, so it can be walked backwards to the decision',
  'HAND-15':
    "In a fan-out each worker has its own chain rooted in the one decision; worker 2 is not caused by worker 1's harvest",
  'HAND-16': '`output.harvested` names the parent keys it fills (`harvestedKeys`)',
  'HAND-17': 'A failed or cancelled child is never harvested: no `output.harvested`',
  'HAND-18': 'A completed child with an empty mapping ends its chain at `child.completed`',
  'HAND-19':
    'A phase is emitted only if the transition really occurred; a state that the host does not surface is never synthesised',
  'HAND-20':
    'Phases that the host does surface are emitted per the table; a host with explicit cancellation emits `child.cancelled`, not `child.failed`',
  'HAND-21': 'Payload is a closed object; `phase`, `workerId`, `parentRunId` required; strings non-empty',
  'HAND-22':
    '`phase` is one of `dispatch.began`, `dispatch.succeeded`, `dispatch.failed`, `child.completed`, `child.failed`, `child.cancelled`, `output.harvested`',
  'HAND-23': '`workerId` is the entry of `nextWorkerIds[]`, `parentRunId` the orchestrated run',
  'HAND-24':
    '`childRunId` is present from `dispatch.succeeded` on and absent on `dispatch.began` and `dispatch.failed`',
  'HAND-25': '`dispatch.failed`, `child.failed` and `child.cancelled` carry the canonical error object',
  'HAND-26': 'Without `executionModel.supported: true` the event is never emitted',
  'HAND-27':
    'The plain happy path is exactly four chain events in order began, succeeded, completed, harvested',
  'HAND-28':
    'A worker id that cannot be started (unknown workflow, depth or cycle cap) goes began → `dispatch.failed` and settles',
  'HAND-29':
    '`node.dispatched` with `childRunId` and `childWorkflowId` is readable while the child still runs',
  'HAND-30':
    'A suspended child leaves the handoff in running; the parent mirrors the waiting status and lists `childRuns[]`',
  'HAND-31': 'A child snapshot names `parentRunId` and `parentNodeId`',
  'HAND-32': 'Cancelling the parent cancels its running children; their interrupts can no longer be resolved',
  'HAND-33':
    'Optional payload fields are only `childRunId`, `harvestedKeys`, `error`, `attestation`, `causationHostId`',

  'MAP-01':
    'Dispatch config accepts `inputMapping`, `outputMapping`, `perWorkerInputMappings`, `perWorkerOutputMappings`, all optional',
  'MAP-02':
    'Mappings are objects of string to string (per-worker: worker id to such an object); anything else fails validation',
  'MAP-03': '`inputMapping` keys are child names, values parent names',
  'MAP-04': '`outputMapping` keys are parent names, values child names',
  'MAP-05':
    "Effective mapping = the worker's own map if present, else the default, else empty; a per-worker map replaces the default, it is not merged with it",
  'MAP-06':
    "Child inputs are built from the parent's variables at dispatch time and the child is invoked with them",
  'MAP-07': 'An unset parent variable is undefined on the child, never null',
  'MAP-08': 'On child `completed`, mapped child variables are written to the parent',
  'MAP-09':
    'On child `failed` or `cancelled` the mapping is skipped and the parent keeps its pre-dispatch values for that child',
  'MAP-10': 'A non-empty mapping is never silently ignored',
  'MAP-11':
    'With `agents.dispatch` but without `agents.dispatchMapping`, a workflow with a non-empty mapping field (any of the four) is refused at registration: `validation_error`, `details.requiredCapability: "agents.dispatchMapping"`',
  'MAP-12': '`core.subWorkflow` accepts `inputMapping` (child name → parent name) beside `outputMapping`',
  'MAP-13': 'Sub-workflow seeding happens once, when the child run is created',
  'MAP-14': 'Order in the child: declared defaults first, then the mapped values over them',
  'MAP-15': 'An unset parent variable is undefined on the sub-workflow child variable, not null',
  'MAP-16': 'Parent changes after creation do not reach the running child',
  'MAP-17':
    'Without `subWorkflow.inputMapping`, a non-empty `inputMapping` is refused at registration with that name in `details.requiredCapability`',
  'MAP-18': 'The two capability flags are independent and default to false',
  'MAP-19':
    "Sequential fan-out works on one parent bag: worker N's outputs are visible to worker N+1's inputs",
  'MAP-20': 'Two entries with the same workflow id in one decision share its mapping',
  'MAP-21':
    'A mapping that names an undeclared parent variable gives a warning at registration, not an error',
  'MAP-22':
    'Workflows that set no mapping behave as before: dispatched children get empty inputs and nothing is harvested',
  'MAP-23': 'No implicit pass-through of parent variables',
  'MAP-24': 'Mappings live at the dispatch boundary; a decision never carries them',
  'MAP-25':
    'Sub-workflow config also honours `workflowId`, `waitForCompletion`, `onChildFailure` (`fail-parent`, `absorb`), `propagateCancellation`',
  'MAP-26':
    "An unset child variable at harvest is undefined, symmetric with seeding: the parent's variable becomes unset, never null; the same for a key that an edit-accept leaves out",
  'MAP-27':
    "A dispatched child inherits the run's context (`inheritContext`): its `configurable` (thresholds, models, limits) and trace, not its variables",

  'CONF-01': 'A decision may carry `confidence` in [0,1]; outside that range it is invalid',
  'CONF-02': 'Effective floor = the advertised `confidenceEscalationFloor`, else 0.5',
  'CONF-03':
    '`confidence` strictly below the floor on `next-worker` or `terminate` escalates, by a clarify interrupt (preferred) or an escalate interrupt for approval',
  'CONF-04':
    'Nothing of a below-floor decision is executed before the escalation is recorded and the interrupt fired',
  'CONF-05': 'Order in the log: decided, escalated, interrupt, and only after the answer `dispatch.began`',
  'CONF-06': 'The escalation event is recorded even if the person later confirms the decision',
  'CONF-07': 'A missing `confidence` never escalates by this rule',
  'CONF-08': '0.5 is fixed and cannot be lowered; an advertised floor lies in [0.5, 1.0]',
  'CONF-09': 'A stricter operator floor is allowed and is advertised',
  'CONF-10':
    "The floor applies only to the orchestrator's decision; the 0.7 default threshold of `agent.decided` is another field and another rule",
  'CONF-11':
    'Escalated payload: closed; `confidence` [0,1], `floor` [0.5,1], `escalationKind` in `clarify`/`escalate` required; `originalDecision` optional; also `parentRunId`, and `workerId` only for `next-worker`',
  'CONF-12': 'Escalated is caused by the decided event, once per escalated decision',
  'CONF-13': 'Escalated is never emitted below version 2',
  'CONF-14':
    'An advertised `confidenceEscalationInterruptKind` (`clarification`, `approval`, or `x-host-<host>-<kind>`) is the kind of every such interrupt',
  'CONF-15': 'A vendor kind needs a published mapping to a canonical kind and a `waiting-*` status',
  'CONF-16': '`escalationKind` keeps its two values whatever the interrupt is called',
  'CONF-17': 'Always-escalate is not part of the rule; it may only be a host extension',
  'CONF-18': 'Consumers tolerate unknown event types and error codes',

  'MEM-01':
    "A child's memory is scoped by tenant and scope, for `core.dispatch` and `core.subWorkflow` alike",
  'MEM-02': "By default the child inherits the parent's `scopeId`",
  'MEM-03': '`memoryScopeIsolation: "isolated"` in the dispatch config gives a fresh scope',
  'MEM-04':
    "A child's writes are visible to the parent from the child's `completed` on and in every later turn",
  'MEM-05': "TTL runs from the child's own write time, not from the parent's start",
  'MEM-06': 'An expired entry is never returned',
  'MEM-07':
    "Writes of siblings under one parent are serialised, and a turn never races a running sibling's writes",
  'MEM-08':
    'Only a host that advertises `crossChildMemoryConcurrency: "advisory"` may skip that; it documents its conflict rule',
  'MEM-09': 'A fork from index N reads memory as it was in the source run at index N, not as it is now',
  'MEM-10':
    'Memory history tied to log indices is persisted while version >= 2 and `memory.supported` are advertised',
  'MEM-11':
    'A fork whose memory history is gone is refused with `replay_memory_snapshot_unavailable`, never served from current memory',
  'MEM-12':
    'Refusal details: `fromSeq` (SHOULD), `oldestAvailableIdx` (MAY), `sourceRunId`, `reason` in `retention_expired`/`event_log_unavailable`',
  'MEM-13':
    'The pre-flight check uses the same view as the fork itself, so an accepted fork cannot then lack its snapshot',
  'MEM-14': 'Memory history lives as long as the log it is tied to',
  'MEM-15': 'A memory-less or version-1 host is judged by none of these',
  'MEM-16': 'Memory redaction: secrets resolved by the run never reach stored content',
  'MEM-17':
    'Memory before the cut is judged at the time of index N: an entry alive then is returned though expired now, one expired then is not; the last write before N wins. After the cut see READ-37',
  'MEM-18': '`memory.written` names the memory reference and entry id, never the content',

  'XHOST-01': 'When `causationId` points to an event on another host, the payload carries `causationHostId`',
  'XHOST-02': "Its value is the originating host's advertised `crossHostCausation.hostId`",
  'XHOST-03': 'For a cause on the same host the field is absent',
  'XHOST-04':
    'It may appear on exactly: chain event, escalated, `agent.reasoned`, `agent.toolCalled`, `agent.toolReturned`, `agent.handoff`, `agent.decided`, decided, `prompt.composed`, `agent.promptResolved`; and on `agent.verified`',
  'XHOST-05': "Outbound MCP requests carry the parent run's W3C `traceparent`",
  'XHOST-06': "An inbound MCP call's `traceparent` becomes the parent of all spans it causes",
  'XHOST-07': 'Outbound A2A messages carry `traceparent`',
  'XHOST-08': 'Inbound A2A handlers adopt it',
  'XHOST-09':
    'With `ancestryEndpointSupported`, `GET /v1/runs/{runId}/ancestry` returns `{runId, hostId, parent}`',
  'XHOST-10': 'It names the immediate parent only; clients walk `parent.wellKnownUrl` hop by hop',
  'XHOST-11': 'A top-level run has `parent: null`',
  'XHOST-12':
    'A non-null parent has `runId`, `hostId`, `cause` (`mcp-tool-call`, `a2a-message`, `core.subWorkflow`, `core.dispatch`); `wellKnownUrl` is set for a remote parent and absent for a local one',
  'XHOST-13': 'With causation but without the endpoint, the route answers 404 `not_found`',
  'XHOST-14':
    'Causation across hosts requires version >= 3 and a stable non-empty `hostId`; advertising version >= 3 requires the block',
  'XHOST-15': 'Below version 3 consumers ignore the field',
  'XHOST-16': 'A parent can verify the checksum of a child that ran on another host',
  'XHOST-17': "A child run on the same host continues its parent's trace",

  'REPLAY-01': 'The LLM cache-key recipe applies to every node that calls a model, without condition',
  'REPLAY-02':
    'The honoured recipe is advertised as `replayDeterminism.llmCacheKeyRecipe` (`spec-rfc-0041` or `x-host-…`) by every host at version >= 4',
  'REPLAY-03':
    'Key = SHA-256 (lowercase hex) of the RFC 8785 form of the semantic request; transport fields do not change it, semantic ones do; tools sorted by UTF-16 name order, message order kept',
  'REPLAY-04':
    'A refusal where the source had an answer, or the reverse, emits `replay.divergedAtRefusal` and fails the replay with `replay_diverged_at_refusal`',
  'REPLAY-05': 'Silent substitution of the outcome is not allowed',
  'REPLAY-06':
    'The event names `sourceRunId`, `atSequence`, `nodeId`, `originalEnvelopeKind`, `replayEnvelopeKind` (differing, each `valid`/`refusal`)',
  'REPLAY-07': '`replayDeterminism.supported` implies version >= 4 and `refusalDivergenceEmission: true`',
  'REPLAY-08':
    'The contract is byte equality at the event log and the run snapshot, not of the underlying tool calls',
  'REPLAY-09': "What is cached is the observable result, not only the call's bytes",
  'REPLAY-10':
    'Replay walks the causation chain backwards through handoffs, so the chain is complete in forks too',
  'REPLAY-11':
    'Recorded facts (invocation brackets, `iteration`, durations) are re-emitted from the log; ids and timestamps are not regenerated',
  'REPLAY-12': 'A fork keeps the prefix with its sequence numbers and goes on from `fromSeq`',
  'REPLAY-13':
    'Fork errors: negative `fromSeq` 400; past the end 422; replay with a non-empty overlay 400; unknown run 404/403; bounds are checked before memory',
  'REPLAY-14':
    'An external effect without a recorded outcome fails closed in replay with `replay_source_missing`',
  'REPLAY-15': 'The resolved model of a run is stable and takes part in the key',

  'STATE-01': 'Every decided event carries `iteration`: 1-based, rising by exactly one per turn',
  'STATE-02':
    '`maxLoopIterations` bounds it; turn N+1 gives `cap.breached {kind: loop-iterations, limit: N, observed: N+1}` and `loop_limit_exceeded`',
  'STATE-03': 'The bound exists at every version (it depends on `executionModel.supported` only)',
  'STATE-04': 'Below version 5 the field is omitted and consumers ignore it',
  'STATE-05': "A turn's inputs are fixed and reproducible: the memory snapshot at the turn's log index",
  'STATE-06':
    'The workspace snapshot at that turn, when the workspace is supported; without it the loop runs unchanged',
  'STATE-07': 'The recent transcript, at most `transcriptWindow` events when advertised, unbounded otherwise',
  'STATE-08': 'What turn i writes (memory and workspace alike) is visible to turn i+1 and never to turn i',
  'STATE-09':
    'With `statefulResume`, a resumed loop goes on at the same iteration; the counter neither resets nor skips',
  'STATE-10': 'The memory and workspace lineage survives the suspension',
  'STATE-11': 'A heartbeat or timer may start a fresh run; it never advances a suspended loop',
  'STATE-12': 'Version 5 adds no new event type and no new exit',
  'STATE-13': '"Until the criteria are met" is the supervisor\'s own `terminate`; no separate mechanism',

  'VERIFY-01':
    "A critic's check is an `agent.verified` event over a prior result, before that result is committed",
  'VERIFY-02':
    'Payload closed: `agentId` (3–256), `target` (non-empty), `verdict` required; `criteria`, `confidence`, `causationHostId` optional',
  'VERIFY-03': '`verdict` is `pass`, `fail` or `revise`, nothing else',
  'VERIFY-04': '`target` is the `eventId` of an `agent.decided`, a child `runId` or a tool `callId`',
  'VERIFY-05':
    'Content-free (`verifier-no-content-leak`): no result text, tool output or key material, only target, verdict, criteria keys and numbers',
  'VERIFY-06': '`criteria`: unique non-empty keys, never per-criterion text',
  'VERIFY-07':
    'Critic and actor should differ; self-verification may be allowed, and then the host must make it visible that they are the same',
  'VERIFY-08':
    "The critic's `confidence` is its own, [0,1], distinct from the actor's; it may drive escalation, and either one below its floor escalates",
  'VERIFY-09':
    "Gating: `fail` over a sub-run's output, or over the `agent.decided` that produced it, blocks the merge",
  'VERIFY-10':
    'Gating: after `fail` the run never silently ends as a success; it should go to a person or another actor turn',
  'VERIFY-11':
    'Gating: `revise` should give the actor another turn, bounded by `maxLoopIterations`, and does not terminate',
  'VERIFY-12': '`pass` may proceed to commit or terminate',
  'VERIFY-13': 'No verdict over a result is not a failure; only an emitted `fail` or `revise` gates',
  'VERIFY-14': '`supported` without `gating` emits verdicts for observation only',
  'VERIFY-15':
    '`terminate` may carry `successCriteria`: entries of exactly `key` (non-empty) and `met` (boolean), content-free',
  'VERIFY-16': 'Any `met: false` means the run gave up; no consumer presents it as goal-satisfied',
  'VERIFY-17': 'Without `successCriteria` the free-text `reason` keeps its meaning',
  'VERIFY-18': '`agent.verified` and gating apply only at version >= 6 with the `verifier` block',
  'VERIFY-19':
    "Verification logic (model, rubric) is the host's or agent's choice; the verdict and the stop condition are the contract",

  'LIVE-01': '`liveRuntime.supported` requires `manifestRuntime.supported`',
  'LIVE-02':
    'Step 1: the abstract `modelClass` resolves to a concrete model and provider, stable within the run',
  'LIVE-03': 'A run may override through `configurable.ai.*`, which wins',
  'LIVE-04': 'Resolution may be late, so `started` may omit the resolved model',
  'LIVE-05':
    'Step 2: an intrinsic `systemPrompt`/`systemPromptRef` wins; `promptOverrides`/`promptLibraryRef` are the fallback',
  'LIVE-06': '`agent.promptResolved` records identifiers only',
  'LIVE-07': 'Step 3: the tool surface is filtered by `toolAllowlist`; a tool outside it cannot be called',
  'LIVE-08': 'With `toolHooks`, per-tool authorization fails closed (`forbidden`)',
  'LIVE-09': 'Tool calls emit `agent.toolCalled` and `agent.toolReturned`',
  'LIVE-10': 'Step 4: the memory backends named in `memoryShape` are bound, tenant-scoped',
  'LIVE-11': 'Long-term memory writes pass the redaction harness',
  'LIVE-12': '`memory.written` may be emitted, content-free; the write may take part in consolidation',
  'LIVE-13':
    'Step 5: live inference and tool calls emit `agent.reasoned`, `agent.reasoning.delta`, `agent.toolCalled`, `agent.toolReturned`',
  'LIVE-14':
    'One turn suffices; the multi-turn loop sits above, in the orchestrator, and is not required for `liveRuntime`',
  'LIVE-15':
    'Step 6: an inbound task is validated against `handoff.taskSchemaRef` before any inference, and refused when it does not conform',
  'LIVE-16': 'With `structuredOutput`, a terminal result that misses `handoff.returnSchemaRef` fails the run',
  'LIVE-17': 'A handoff between agents emits `agent.handoff`',
  'LIVE-18':
    "Step 7: with `confidenceEscalation`, an `agent.decided` below the effective threshold (manifest `confidence.defaultThreshold`, or the run's, default 0.7) triggers the whole escalation contract: `core.workflowChain.confidence-escalated` first, then the interrupt, nothing committed before the answer",
  'LIVE-19': "Step 8: the terminal result appears on the run's normal result surface",
  'LIVE-20': "As a sub-run with attestation, attestation is unchanged and follows the agent's last event",
  'LIVE-21':
    '`agent.invocation.started` is the first and `agent.invocation.completed` the last agent-scoped event of an invocation',
  'LIVE-22': 'Both are content-free: no prompt, no result',
  'LIVE-23':
    '`invocationId` correlates the two, is unique within the run and distinct in meaning from `runId` (one run may hold several); it may be derived or minted, and a single-invocation run may reuse `runId`',
  'LIVE-24':
    '`started` carries `source` (`workflow-node`, `run-api`, `chat-mention`); may carry `modelClass`, `resolvedModel`, `resolvedProvider`, `toolSurfaceCount`, `memoryBound`',
  'LIVE-25':
    '`completed` carries `outcome` (`completed`, `handed-off`, `escalated`, `refused`, `failed`); may carry `schemaValidated`, `confidence`, `enqueuedRunId`',
  'LIVE-26':
    'Order: started → promptResolved → (deltas → reasoned), once or more → tool pairs → decided, once or more → handoff at most once → completed',
  'LIVE-27': 'All entry points use the same mapping and emit the same family',
  'LIVE-28': '`workflow-node` is the default source and inherits replay, fork and observability',
  'LIVE-29': 'A host advertising `run-api` accepts a run whose root is a manifest agent',
  'LIVE-30': 'A host advertising `chat-mention` maps it onto the run surface; no source is mandatory',
  'LIVE-31': 'Tenant scoping holds for memory and every enqueued run',
  'LIVE-32':
    'Model output is untrusted; a refusal ends with `outcome: refused` and is never replaced silently',
  'LIVE-33':
    'The five floor guarantees (allowlist, inbound validation, tenancy, untrusted output, per-tool authorization) hold unconditionally; only structured output and escalation are optional',

  'ATTEST-01':
    '`core.subWorkflow` accepts `outputAttestation` with `checksum`, `algorithm`, `requireApproval`, `principalScope`, all optional; supervisor-dispatched workers can be gated too',
  'ATTEST-02': 'Without the block nothing changes',
  'ATTEST-03':
    "The checksum is taken over the child's harvested outputs, after the child's terminal state and before the mapping",
  'ATTEST-04':
    'Recipe: RFC 8785 canonical form, then SHA-256; the same on every host, stable under key order',
  'ATTEST-05': '`algorithm` defaults to `sha256`, the only v1 value; others are refused at registration',
  'ATTEST-06': 'Surfaced as `attestation {checksum, algorithm}` on `output.harvested`; no new event type',
  'ATTEST-07': "And in the node's completion: `outputs.attestation.checksum` on `node.completed`",
  'ATTEST-08':
    "The checksum is advisory: the host does not reject on it; comparing is a parent's policy node",
  'ATTEST-09':
    '`requireApproval`: after harvest and before the mapping the parent suspends with an `approval` interrupt carrying the outputs as the artifact',
  'ATTEST-10': 'Offered actions: accept, reject, edit-accept, ask',
  'ATTEST-11': '`accept` merges the outputs unchanged',
  'ATTEST-12': "`edit-accept` merges the approver's `editedArtifactData` instead",
  'ATTEST-13': '`reject` does not merge and follows `onChildFailure` (`fail-parent` or `absorb`)',
  'ATTEST-14': '`ask` neither merges nor ends the suspension',
  'ATTEST-15':
    'Fail closed (`subrun-merge-approval-fail-closed`): termination, expiry or any other end without accept or edit-accept never merges',
  'ATTEST-16': 'One interrupt per child in a fan-out',
  'ATTEST-17': 'No new interrupt kind, event type or error code',
  'ATTEST-18': 'The audit trail shows the checksum and the approver',
  'ATTEST-19': 'An unmerged child is visible as such on the parent',
  'ATTEST-20': 'The attestation carries a digest only, never the outputs',

  'SCOPE-01': "`principalScope` narrows the child's effective scopes to those named",
  'SCOPE-02': 'It never widens: a named scope that the parent lacks is not granted',
  'SCOPE-03':
    "It names existing scopes only and defines none; a scope the host does not know registers (R63's own example is `report:write`) and grants nothing",
  'SCOPE-04': "A child inherits the parent's tenant; no escalation across tenants",
  'SCOPE-05': 'Narrowing holds down the tree',
  'SCOPE-06': 'Depth and cycle caps bound sub-runs',

  'CAP-01': '`multiAgent.executionModel` has `supported` and `version` (integer 1–6)',
  'CAP-02': 'Version N claims all of 1..N',
  'CAP-03': '`statefulResume` boolean, `transcriptWindow` integer >= 1, both from version 5',
  'CAP-04': '`verifier {supported, gating?}` closed, `supported` required, from version 6',
  'CAP-05':
    '`confidenceEscalationFloor` 0.5–1.0; `confidenceEscalationInterruptKind`; `crossChildMemoryConcurrency`: from version 2',
  'CAP-06': '`crossHostCausation {supported, hostId, ancestryEndpointSupported}` from version 3',
  'CAP-07': '`replayDeterminism {supported, llmCacheKeyRecipe, refusalDivergenceEmission}` from version 4',
  'CAP-08':
    '`agents.dispatchMapping` and `subWorkflow.inputMapping` booleans, default false; `subWorkflow` closed',
  'CAP-09': '`agents.subRunAttestation` boolean',
  'CAP-10':
    '`agents.liveRuntime {supported, structuredOutput, confidenceEscalation, sources}`; absent `sources` means `workflow-node`',
  'CAP-11': 'A capability not advertised shows none of its events; one advertised shows all of them',
  'CAP-12': 'Families stand at the document root (mirrored under `capabilities` for older readers)',
  'CAP-13': 'Scenarios for an unadvertised capability are skipped, not failed',
  'CAP-14':
    'A host without the execution model may still offer supervisor, dispatch and mapping individually',

  'FAIL-01': 'a below-floor decision runs unrecorded',
  'FAIL-02': 'a failed, cancelled, refused or unapproved child enters the parent',
  'FAIL-03': 'a mapping the host does not honour is accepted',
  'FAIL-04': 'a fork reads memory of another time',
  'FAIL-05': 'a refusal is replaced by an answer, live or in replay',
  'FAIL-06': 'a replay performs an effect it has no record of',
  'FAIL-07': 'a tool outside the allowlist or without authorization runs',
  'FAIL-08': 'a non-conforming task reaches the model, or a non-conforming result ships',
  'FAIL-09': 'a failed verdict or an unmet criterion is shown as success',
  'FAIL-10': 'a suspended loop advances without an answer',
  'FAIL-11': 'tenant or scope is wider in a child than in its parent',
  'FAIL-12': 'content appears in a content-free event',

  'SCEN-01': '`dispatch-input-mapping` (+ unset, + refusal)',
  'SCEN-02': '`dispatch-output-mapping` (+ failed child, + cancelled child)',
  'SCEN-03': '`dispatch-cross-worker-handoff` (+ per-worker override)',
  'SCEN-04': '`subworkflow-input-mapping` (+ unset, + no mid-run propagation, + refusal)',
  'SCEN-05': 'multi-agent handoff state machine',
  'SCEN-06': '`multi-agent-confidence-floor` / `-escalation`',
  'SCEN-07': '`agent-memory-cross-run-ttl`, `multi-agent-memory-lifecycle`',
  'SCEN-08': '`replay-memory-snapshot` (+ the 422 refusal)',
  'SCEN-09': 'cross-host causation shape, ancestry, traceparent',
  'SCEN-10': '`replay-llm-cache-key`, divergence at refusal, observable sequence',
  'SCEN-11': 'agent loop: iteration, workspace snapshot, stateful resume',
  'SCEN-12': '`agent-verified-shape`, `verifier-no-content-leak`',
  'SCEN-13': '`verifier-gating` (fail blocks, pass permits, revise retries within the bound)',
  'SCEN-14': '`subrun-attestation-shape`, `subrun-checksum-stable`',
  'SCEN-15': '`subrun-approval-gate`, `subrun-approval-fail-closed`',
  'SCEN-16': 'live agents: invocation bracket, structured output, allowlist',

  'SEAM-01':
    '`POST /v1/host/sample/test/capability-toggle` switches `agents.dispatchMapping` and `subWorkflow.inputMapping` and back',
  'SEAM-02':
    '`POST /v1/host/sample/subrun/attest`: `{childOutputs, outputAttestation, approvalAction?}` → `{attestation, harvestedEvent, merged, mergedValues?}`; `mergedValues` only when merged',
  'SEAM-03':
    '`POST /v1/host/sample/agents/verify-run` with `simulateVerdict`: `fail` is not committed and not completed, `pass` is',
  'SEAM-04': 'Seams exist only when switched on, need an authenticated principal, and drive the real rules',

  'READ-01':
    "Route all five. Record the kind that the supervisor gave. Offer only the schema's three to live supervisors and to authors; schema checks of decided events exempt the two prose kinds",
  'READ-02': 'Advertise `approval`, suspend as `waiting-approval`, `escalationKind: "escalate"`',
  'READ-03': 'Root, mirrored under `capabilities`',
  'READ-04': '6',
  'READ-05':
    "Absent in JSON, never null. Sub-workflow: the mapped undefined overrides the child's default. Dispatch: the input is absent, so the child's own default stands",
  'READ-06':
    "The event fires when the child is completed and the effective mapping is non-empty, before verify, approve and merge; `harvestedKeys` are the keys offered for merging. Whether they were merged shows in the parent's variables, in `variable.changed` and in the node's completion. Without a gate both moments coincide",
  'READ-07': 'No `output.harvested`; the attestation stands on `node.completed` only, over all child outputs',
  'READ-08':
    "On dispatch the block stands in the node's open `settings`; on sub-workflow in `config` (which wins over `settings`)",
  'READ-09':
    "A sub-workflow with `outputAttestation` or a verifier emits the full chain; its `dispatch.began` is caused by the node's `node.started`; other sub-workflows emit none",
  'READ-10': 'Plain lowercase hex',
  'READ-11': '`edit-accept`; the bare token never appears in discovery',
  'READ-12': 'Send all four; 422; bounds check first',
  'READ-13':
    'Recorded outcomes are served; a provider declared re-executable (the programmable mock), or a fork that asks for live models, is called and compared',
  'READ-14': 'Emit it; the host advertises 6 as soon as every version is complete',
  'READ-15':
    'Decision confidence against the floor: decide, record, escalate. Agent or supervisor-node confidence against 0.7: hold, no decided event, `node.suspended` with `low-confidence`',
  'READ-16':
    'Local: advisory. Remote: nothing is merged and the mismatch is recorded as an error of the handoff',
  'READ-17': "The fork's memory starts as of N; re-executed turns after N see their own index",
  'READ-18': 'Both conditions',
  'READ-19': 'The stricter of the two is enforced',
  'READ-20': 'Accept it in the config of both nodes, and in `settings`',
  'READ-21':
    'No critic configured: no gate. Critic configured and silent, malformed or late: the host emits `fail`',
  'READ-22': 'Return to the supervisor; remaining workers of the decision still run',
  'READ-23':
    'The full order holds for `completed`, `handed-off`, `escalated`; for `refused` and `failed` any prefix of it, always with both brackets',
  'READ-24': 'Always',
  'READ-25':
    'Status `completed`, goal not met; shown as given up. A terminate over an unresolved `fail` on a gating host does not complete',
  'READ-26': 'Send it',
  'READ-27': 'HTTP: `{error: "<code>", message, details?}`. Run snapshot and event payloads: `error.code`',
  'READ-28': "Nodes see their own run's committed writes; an orchestrator turn sees its snapshot",
  'READ-29': '`agents.dispatch`, `agents.orchestrator`',
  'READ-30': 'Emit `dispatch-iterations`; schema checks of `cap.breached` exempt it',
  'READ-31':
    "Prefix events are copied verbatim, with the source's child ids; children that the fork drives get new ids, linked to the originals on the fork's record. Comparisons of forks normalise run and event ids",
  'READ-32': 'Either name; the content is SCEN-12',
  'READ-33':
    'Rounds: started → promptResolved → one or more rounds of (deltas → reasoned) then tool pairs → decided, once or more → handoff at most once → completed. Every round keeps the order, the decision follows the last round, and `maxToolRounds: 1` gives the order literally',
  'READ-34':
    'The loop runs with or without it: after the workers settle the supervisor takes its next turn, until terminate or a limit',
  'READ-35':
    "The edit takes the place of the turn's decision: no second `runOrchestrator.decided`, the same iteration, counted once against every limit; it stands in the answer's event with `decidedBy`, and what it dispatches is caused by the turn's decided event. An edit states no confidence (refused when it does) and passes the same validation",
  'READ-36':
    'Never an event at or after N: the cut is the last step boundary at or before N, the answer says both indexes, and memory equals what `state?at=` shows for the cut',
  'READ-37':
    "At the cut as of index N; from then on each entry has the time it had left at the cut, on the branch's clock, as deadlines do",
  'READ-38':
    "With a gate: at the merge, never otherwise. Without waiting: at the child's completion, if the parent still runs, before its next read or turn",
  'READ-39':
    "The child variables named on the right of the effective `outputMapping`, under the child's names, unset ones left out; with an empty mapping see READ-07. This object travels between hosts and is what both sides hash",
  'READ-40': 'Accepted with a warning, grants nothing',
  'READ-41':
    "Yes. A child that gave up, or a standing `fail` that was absorbed, is told to the supervisor's next turn and in the node's outputs (`childGoalMet: false`); the run's own goal is not met unless its supervisor states criteria of its own that are all met; this carries up the tree. An empty `successCriteria` states nothing. In a graph without a loop a standing `fail` ends the run as failed unless the node absorbs it",
  'READ-42': 'Each revision is an actor turn and counts against both; the smaller wins',
  'READ-43':
    'Actor and critic ids come from one rule (agent id, else workflow id), so that equality shows on `agent.verified` and its target',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/**
 * The piece of work that brings what a requirement asks for.
 * `conformance suite`: the requirement is about the report of a suite that runs against hosts, and not about a host.
 */
type Owner = 'conformance suite';

/** Requirements that no test has to verify yet, with the work that owns them. */
export const LATER: Partial<Record<RequirementId, Owner>> = {
  'CAP-13': 'conformance suite',
};

/** Requirements that only `npm run proof` verifies, and why. */
export const PROOF_ONLY: Partial<Record<RequirementId, string>> = {
  'ATTEST-15': 'A host is killed at every step of a merge, which takes several minutes of starts.',
};
