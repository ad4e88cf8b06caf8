import type { AgentEntry, AgentPackage } from '@baton/protocol';
import type { CallOptions, CommandOptions, Connection } from './http/connection.ts';
import type { Answer } from './http/contract-types.ts';
import { ask } from './http/request.ts';
import type { Run } from './runs/run.ts';
import { type RunInputs, type StartOptions, startRun } from './runs/runs.ts';

/** The tools of an agent on this host, and those of its allow list that the host cannot give it. */
export type AgentTools = Answer<'listAgentTools'>;

export type AgentReply = Answer<'messageAgent'>;

export interface MessageOptions extends CommandOptions {
  /** The conversation that the message belongs to. Default: a new one. */
  readonly conversationId?: string;
  /** How long the host waits for the reply before it answers without one. Default, and at most: 60. */
  readonly waitSeconds?: number;
}

/** A conversation: each message continues it. */
export interface Chat {
  /** The id of the conversation. Absent before the first reply, when none was given. */
  readonly conversationId: string | undefined;
  /** Sends a message. Messages of one conversation are sent one after the other. */
  send(message: string, options?: Omit<MessageOptions, 'conversationId'>): Promise<AgentReply>;
}

export interface Agents {
  /** Registers an agent, or a new version of it. The same package again makes no new version. */
  register(agent: AgentPackage, options?: CommandOptions): Promise<Answer<'registerAgent'>>;
  /** The agents that the key may run. */
  list(options?: CallOptions): Promise<readonly AgentEntry[]>;
  read(agentId: string, options?: CallOptions): Promise<AgentEntry>;
  /** The tools that an agent can call on this host, with the scopes that a call needs. */
  tools(agentId: string, options?: CallOptions): Promise<AgentTools>;
  /** Starts a run of an agent, as `runs.start` does for a workflow. */
  start(agentId: string, inputs?: RunInputs, options?: StartOptions): Promise<Run>;
  /** Sends a message to an agent. The reply is absent when the agent has not replied in time, or has failed. */
  message(agentId: string, message: string, options?: MessageOptions): Promise<AgentReply>;
  /**
   * A conversation with an agent.
   *
   * @example
   * ```ts
   * import { connect } from '@baton/client';
   *
   * const chat = connect({ url: 'http://127.0.0.1:4747', key: 'a-key' }).agents.chat('acme.helper');
   * const first = await chat.send('Which tide is next?');
   * const second = await chat.send('And the one after it?');
   * console.log(first.reply, second.reply, chat.conversationId);
   * ```
   */
  chat(agentId: string, conversationId?: string): Chat;
}

export function agents(connection: Connection): Agents {
  const message: Agents['message'] = (agentId, text, { conversationId, waitSeconds, ...options } = {}) =>
    ask(connection, 'messageAgent', {
      params: { agentId },
      body: { message: text, conversationId },
      headers: { prefer: waitSeconds === undefined ? undefined : `wait=${waitSeconds}` },
      ...options,
    });
  return {
    register: (agent, options) => ask(connection, 'registerAgent', { body: agent, ...options }),
    list: async (options) => (await ask(connection, 'listAgents', options)).agents,
    read: (agentId, options) => ask(connection, 'readAgent', { params: { agentId }, ...options }),
    tools: (agentId, options) => ask(connection, 'listAgentTools', { params: { agentId }, ...options }),
    start: (agentId, inputs, options) => startRun(connection, { agentId, inputs }, options),
    message,
    chat: (agentId, conversationId) => chatWith(agentId, conversationId, message),
  };
}

function chatWith(agentId: string, given: string | undefined, message: Agents['message']): Chat {
  let conversationId = given;
  let before: Promise<unknown> = Promise.resolve();
  return {
    get conversationId() {
      return conversationId;
    },
    send(text, options) {
      const reply = before.then(async () => {
        const answer = await message(agentId, text, { ...options, conversationId });
        conversationId = answer.conversationId;
        return answer;
      });
      // The next message is sent also when this one fails.
      before = reply.catch(() => undefined);
      return reply;
    },
  };
}
