export { createBackfillStore } from './backfill-store.ts';
export { createCalendarStore } from './calendar-store.ts';
export { createDocumentClient, type StoreContext, storeContext } from './client.ts';
export { createOccurrenceStore } from './occurrence-store.ts';
export { createPlanningStore } from './planning-store.ts';
export { createScheduleStore } from './schedule-store.ts';
export { createSweepStore } from './sweep-store.ts';
export { createWatchStore } from './watch-store.ts';
