import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { SECOND } from '../../../core/time.ts';

export interface ConnectionLimits {
  /**
   * Milliseconds after which a connection is not used again, however busy: a new one asks the resolver again, so that
   * a name that has moved is followed.
   */
  readonly maxAge: number;
  /**
   * Milliseconds that a connection is kept between two calls: less than the five seconds after which many servers
   * close theirs. A request on a connection that the server is closing is lost, and may not be sent again.
   */
  readonly maxIdle: number;
}

const LIMITS: ConnectionLimits = { maxAge: 30 * SECOND, maxIdle: 4 * SECOND };

export interface Connections {
  /** The agent for a URL's protocol; what has been kept for too long is closed first. */
  agentFor(protocol: string): HttpAgent;
}

/** Keeps connections open between calls, for as long as they can be trusted. */
export function createConnections(now: () => number, limits: ConnectionLimits = LIMITS): Connections {
  const openedAt = new WeakMap<Duplex, number>();
  const idleSince = new WeakMap<Duplex, number>();
  const isOld = (socket: Duplex) => now() - (openedAt.get(socket) ?? 0) >= limits.maxAge;
  const isIdle = (socket: Duplex) => now() - (idleSince.get(socket) ?? 0) >= limits.maxIdle;

  /** Made for both agents: node asks an agent for a connection, and whether to keep it, by these methods. */
  function timed<A extends HttpAgent>(agent: A): A {
    const create = agent.createConnection.bind(agent);
    const keep = agent.keepSocketAlive.bind(agent);
    agent.createConnection = (...args) => {
      const socket = create(...args);
      if (socket) openedAt.set(socket, now());
      return socket;
    };
    agent.keepSocketAlive = (socket) => {
      if (isOld(socket)) return false;
      idleSince.set(socket, now());
      return keep(socket);
    };
    return agent;
  }

  // `timeout` closes what nobody comes back for.
  const options: AgentOptions = { keepAlive: true, timeout: limits.maxIdle };
  const agents = {
    http: timed(new HttpAgent(options)),
    https: timed(new HttpsAgent({ ...options, rejectUnauthorized: true })),
  };
  return {
    agentFor(protocol) {
      const agent = protocol === 'https:' ? agents.https : agents.http;
      // A function that was frozen meanwhile finds timers that have not fired and connections that are long closed.
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) if (isOld(socket) || isIdle(socket)) socket.destroy();
      }
      return agent;
    },
  };
}
