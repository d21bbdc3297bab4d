scalesweep_kind_sources(estimator
  diffusion/diffusion.cpp diffusion/memory.cpp diffusion/pass.cpp diffusion/training_step.cpp)
scalesweep_kind_sources(study
  APART columns/diffusion_columns.cpp kinds/diffusion/diffusion.cpp)
scalesweep_kind_sources(cli APART explain/kinds/explain_diffusion.cpp)
scalesweep_kind_sources(validation kinds/diffusion_cases.cpp)
scalesweep_kind_sources(estimator_test APART diffusion_test.cpp)
scalesweep_kind_sources(study_test APART diffusion_study_test.cpp)
