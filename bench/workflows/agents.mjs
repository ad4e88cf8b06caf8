import { SYSTEM, TASK } from '../models/ask.mjs';

/** Agents that ask their model once and call no tools. The class decides which model of the server answers. */

export const QUICK_AGENT = 'local.sea.quick';
export const TALKING_AGENT = 'local.sea.talking';

const agent = (agentId, modelClass) => ({
  agentId,
  persona: 'Teacher',
  modelClass,
  systemPrompt: SYSTEM,
  toolAllowlist: [],
});

export const AGENTS = [agent(QUICK_AGENT, 'general'), agent(TALKING_AGENT, 'writing')];

export const runOfAgent = (agentId) => ({ agentId, inputs: { task: TASK } });
