import { randomUUID } from 'node:crypto';
import type { ScheduledEvent } from 'aws-lambda';
import { LOCAL_ACCOUNT, LOCAL_AWS } from '../engine/aws.ts';

export interface Rule {
  stop(): void;
}

/** An EventBridge rule with a rate: fires at once, then every `everyMs`, whether or not the last one has ended. */
export function startRule(name: string, everyMs: number, invoke: (event: ScheduledEvent) => void): Rule {
  const fire = () => invoke(scheduledEvent(name, new Date()));
  fire();
  const timer = setInterval(fire, everyMs);
  return { stop: () => clearInterval(timer) };
}

export function scheduledEvent(ruleName: string, now: Date): ScheduledEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: LOCAL_ACCOUNT,
    // EventBridge gives whole seconds.
    time: `${now.toISOString().slice(0, 19)}Z`,
    region: LOCAL_AWS.region,
    resources: [`arn:aws:events:${LOCAL_AWS.region}:${LOCAL_ACCOUNT}:rule/${ruleName}`],
    detail: {},
  };
}
