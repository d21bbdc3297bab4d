scalesweep_kind_sources(estimator
  recommendation/exchange.cpp recommendation/lookups.cpp recommendation/memory.cpp
  recommendation/recommendation.cpp recommendation/tables.cpp
  APART recommendation/step.cpp)
scalesweep_kind_sources(study
  APART columns/recommendation_columns.cpp kinds/recommendation/recommendation.cpp)
scalesweep_kind_sources(cli APART explain/kinds/explain_recommendation.cpp)
scalesweep_kind_sources(validation kinds/recommendation_cases.cpp)
scalesweep_kind_sources(estimator_test table_placement_test.cpp APART recommendation_test.cpp)
scalesweep_kind_sources(study_test APART recommendation_study_test.cpp)
