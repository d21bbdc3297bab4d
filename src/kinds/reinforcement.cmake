scalesweep_kind_sources(estimator
  reinforcement/output_lengths.cpp reinforcement/reinforcement.cpp reinforcement/rollout.cpp
  reinforcement/rollout_engine.cpp reinforcement/trainers.cpp)
scalesweep_kind_sources(study
  APART columns/reinforcement_columns.cpp kinds/reinforcement/reinforcement.cpp)
scalesweep_kind_sources(cli APART explain/kinds/explain_reinforcement.cpp)
scalesweep_kind_sources(validation kinds/reinforcement_cases.cpp)
scalesweep_kind_sources(estimator_test APART reinforcement_test.cpp)
scalesweep_kind_sources(study_test APART reinforcement_study_test.cpp)
