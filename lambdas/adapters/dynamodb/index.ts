export { createBackfillStore } from './backfills/backfill-store.ts';
export { createCalendarStore } from './calendars/calendar-store.ts';
export { createDocumentClient, type StoreContext, storeContext } from './client.ts';
export { createOccurrenceStore } from './occurrences/occurrence-store.ts';
export { createSweepStore } from './occurrences/sweep-store.ts';
export { createPlanningStore } from './planning/planning-store.ts';
export { createScheduleStore } from './schedules/schedule-store.ts';
export { createWatchStore } from './schedules/watch-store.ts';
