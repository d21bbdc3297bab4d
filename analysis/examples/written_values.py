"""Values of a column as the spec wrote them, row by row: names of enums, labels of numbers."""
import h5py


def written_values(file, name):
    dataset = file["results"][name]
    names = h5py.check_enum_dtype(dataset.dtype)
    if names is not None:
        words = {number: word for word, number in names.items()}
    else:
        axis = file["axes"][name]
        words = dict(zip(axis["values"][:], axis["labels"].asstr()[:]))
    return [words[value] for value in dataset[:]]
