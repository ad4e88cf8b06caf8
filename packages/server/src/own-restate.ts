export {
  RESTATE_PACKAGE,
  restateFrom,
  startBalancer,
  startOwnRestate,
} from '@baton/scheduler-restate/own-server';
